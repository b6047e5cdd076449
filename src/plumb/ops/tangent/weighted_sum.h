#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// weighted_sum() of parts and weights that may have tangents; linear in both, so by the product rule.
at::Tensor weighted_sum_with_tangent(const std::vector<at::Tensor>& parts, const at::Tensor& weights);

}  // namespace plumb::ops
