#pragma once

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// linear() of tensors that may have tangents, by the product rule: with ' for tangents,
///
///     y' = x' W^T + x W'^T + bias'
at::Tensor linear_with_tangent(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace plumb::ops
