#include "plumb/reproduce/measurements.h"

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"

namespace plumb::reproduce {

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() != '*') {
    return !name.empty() && name.front() == pattern.front() && matches(pattern.substr(1), name.substr(1));
  }
  for (size_t skipped = 0; skipped <= name.size(); ++skipped) {
    if (matches(pattern.substr(1), name.substr(skipped))) return true;
  }
  return false;
}

std::vector<double> numbers_of(const nlohmann::json& list) {
  std::vector<double> numbers;
  for (const nlohmann::json& one : list) numbers.push_back(number_of_json(one));
  return numbers;
}

}  // namespace plumb::reproduce
