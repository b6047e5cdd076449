#pragma once

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// x W^T + bias: x [N, I], W [O, I], bias [O] or undefined.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace plumb::ops
