#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/terms.h"

namespace plumb::ops {

/// relu: max(x, 0); gelu: x Phi(x), the exact form.
at::Tensor activate(Activation activation, const at::Tensor& x);

}  // namespace plumb::ops
