#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/terms.h"
#include "plumb/ops/dropout.h"
#include "plumb/ops/packed.h"

namespace plumb::ops {

/// relu: max(x, 0); gelu: x Phi(x), the exact form.
at::Tensor activate(Activation activation, const at::Tensor& x);

/// dropout(activate(in + bias)), the middle of a feed-forward layer: `in` [N, F] is a product without its bias, which
/// may be undefined.
at::Tensor bias_activation(Activation activation, const at::Tensor& in, const at::Tensor& bias, const Packed& rows,
                           const Dropout& dropout);

}  // namespace plumb::ops
