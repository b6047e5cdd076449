#pragma once

#include <cstdint>
#include <string_view>

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/initialisation.h"

namespace plumb {

/// Fills a tensor with the first values that `fill` describes, from the random stream (seed, name).
void draw_values(at::Tensor into, const Fill& fill, uint64_t seed, std::string_view stream);

}  // namespace plumb
