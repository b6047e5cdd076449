#pragma once

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// x W^T + bias: x [N, I], W [O, I], bias [O] or undefined.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// The same, and x handed on for a skip: the gradients of both come back to one place, where the product of the one is
/// added to the other without a pass of its own.
struct LinearAndSkip {
  at::Tensor y, skip;
};
LinearAndSkip linear_and_skip(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace plumb::ops
