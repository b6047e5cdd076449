// Reads tensors by name and remembers which were read, so that neither a missing nor a surplus tensor can hide.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "oracle/oracle.h"

namespace oracle {

class Reader {
 public:
  explicit Reader(const Weights& weights) : weights_(weights) {}

  const Row& at(const std::string& name, std::size_t size);
  const Row* find(const std::string& name, std::size_t size);  // null when absent
  const Row& table(const std::string& name, std::size_t columns);
  bool has(const std::string& name) const { return weights_.count(name) > 0; }
  std::vector<std::string> unused() const;

 private:
  const Weights& weights_;
  std::set<std::string> used_;
};

// What every part of the forward pass needs.
struct Context {
  const Config& config;
  Reader& weights;
  Bug bug;

  bool is(Bug other) const { return bug == other; }
  std::size_t width() const { return static_cast<std::size_t>(config.width); }
};

}  // namespace oracle
