// Random weights for every tensor of docs/parameters.md that a model has. None is 0 or 1, where a mistake could hide.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "oracle/oracle.h"

namespace oracle {

struct Vocabulary {
  std::size_t source = 7, target = 9, positions = 10;
};

// Name and number of elements of every tensor of the model.
std::map<std::string, std::size_t> tensor_sizes(const Config& config, const Vocabulary& vocabulary = {});

// A tensor depends on its name, size and the seed only, so two variants agree in the tensors they have in common.
Weights random_weights(const Config& config, unsigned seed, const Vocabulary& vocabulary = {});

}  // namespace oracle
