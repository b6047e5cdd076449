#pragma once

#include "plumb/ops/linear.h"

namespace plumb::ops {

/// linear(), or linear_and_skip() if `with_skip`, by the products of gemm.h. The gradients of W and bias are added to
/// those of their leaves; that of x is added to the skip's.
LinearAndSkip linear_fused(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, bool with_skip);

}  // namespace plumb::ops
