#include "oracle/weights.h"

#include <stdexcept>

namespace oracle {

const Row* Reader::find(const std::string& name, std::size_t size) {
  const auto entry = weights_.find(name);
  if (entry == weights_.end()) return nullptr;
  if (entry->second.size() != size) {
    throw std::invalid_argument("oracle: " + name + " has " + std::to_string(entry->second.size()) +
                                " elements, expected " + std::to_string(size));
  }
  used_.insert(name);
  return &entry->second;
}

const Row& Reader::at(const std::string& name, std::size_t size) {
  const Row* tensor = find(name, size);
  if (tensor == nullptr) throw std::out_of_range("oracle: missing tensor " + name);
  return *tensor;
}

const Row& Reader::table(const std::string& name, std::size_t columns) {
  const auto entry = weights_.find(name);
  if (entry == weights_.end()) throw std::out_of_range("oracle: missing tensor " + name);
  if (entry->second.size() % columns != 0) {
    throw std::invalid_argument("oracle: " + name + " is not a multiple of the width");
  }
  used_.insert(name);
  return entry->second;
}

std::vector<std::string> Reader::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, values] : weights_) {
    if (used_.count(name) == 0) names.push_back(name);
  }
  return names;
}

}  // namespace oracle
