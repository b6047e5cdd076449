#include "plumb/nn/parts.h"

#include <algorithm>

namespace plumb {

std::vector<Part> parameters_by_part(const ParameterStore& store) {
  std::vector<Part> parts;
  for (const auto& entry : store.entries()) {
    const std::string name = entry.spec.place.stack_part();
    auto part = std::ranges::find(parts, name, &Part::name);
    if (part == parts.end()) part = parts.insert(parts.end(), {name, 0});
    part->parameters += entry.count;
  }
  return parts;
}

}  // namespace plumb
