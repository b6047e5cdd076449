#include "plumb/base/json_depth.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plumb {

bool deeper_than(const nlohmann::json& value, int levels) {
  if (!value.is_structured()) return false;
  return levels == 0 ||
         std::ranges::any_of(value, [&](const nlohmann::json& child) { return deeper_than(child, levels - 1); });
}

}  // namespace plumb
