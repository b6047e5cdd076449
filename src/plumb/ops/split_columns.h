#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// x [N, parts * D] cut into `parts` matrices [N, D] with rows of their own. Their gradients become one matrix again in
/// one copy, where slices of x would each bring a whole one with zeros beside them.
std::vector<at::Tensor> split_columns(const at::Tensor& x, int64_t parts);

}  // namespace plumb::ops
