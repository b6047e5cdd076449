#pragma once

#include "plumb/ops/activation.h"

namespace plumb::ops {

/// bias_activation() by one kernel. Of relu it keeps the output, which the next product keeps too; of gelu the input.
at::Tensor bias_activation_fused(Activation activation, const at::Tensor& in, const at::Tensor& bias,
                                 const Packed& rows, const Dropout& dropout);

}  // namespace plumb::ops
