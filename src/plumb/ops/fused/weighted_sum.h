#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// weighted_sum() in one pass over all parts.
at::Tensor weighted_sum_fused(const std::vector<at::Tensor>& parts, const at::Tensor& weights);

}  // namespace plumb::ops
