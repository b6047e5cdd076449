#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/store/parameter_store.h"

namespace plumb {

/// How many parameters a part of the model has: `encoder embedding`, `encoder self_attn`, ..., `decoder output`. What
/// belongs to none of the usual parts, a variant's own scales and shifts, is `residual`.
struct Part {
  std::string name;
  int64_t parameters = 0;
};

/// The parameters by part, in the order of the model.
std::vector<Part> parameters_by_part(const ParameterStore& store);

}  // namespace plumb
