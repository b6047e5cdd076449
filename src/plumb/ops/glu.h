#pragma once

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// a * sigmoid(b), the gated linear unit: a and b are the left and the right half of in + bias. `in` [N, 2C] is a
/// product without its bias [2C], which may be undefined; the result is [N, C].
at::Tensor glu(const at::Tensor& in, const at::Tensor& bias);

}  // namespace plumb::ops
