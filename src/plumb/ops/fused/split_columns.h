#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// split_columns() whose gradients become one matrix again in one copy.
std::vector<at::Tensor> split_columns_fused(const at::Tensor& x, int64_t parts);

}  // namespace plumb::ops
