#pragma once

#include "plumb/ops/activation.h"

namespace plumb::ops {

/// bias_activation() with relu, of tensors that may have tangents. ReLU and dropout are factors, which the tangent has
/// too: h is above zero where neither is zero.
at::Tensor relu_with_tangent(const at::Tensor& in, const at::Tensor& bias, const Packed& rows, const Dropout& dropout);

}  // namespace plumb::ops
