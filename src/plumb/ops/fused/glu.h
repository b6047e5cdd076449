#pragma once

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// glu() by one kernel.
at::Tensor glu_fused(const at::Tensor& in, const at::Tensor& bias);

}  // namespace plumb::ops
