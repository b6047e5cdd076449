#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// sum_k weights[k] parts[k]: K tensors of one shape, weights [K].
at::Tensor weighted_sum(const std::vector<at::Tensor>& parts, const at::Tensor& weights);

}  // namespace plumb::ops
