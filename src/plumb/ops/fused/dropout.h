#pragma once

#include "plumb/kernel/philox.h"
#include "plumb/ops/dropout.h"

namespace plumb::ops {

/// The layer as the kernels know it.
kernel::DropoutKey dropout_key(const Dropout& dropout);

/// dropout() as a residual connection that has nothing but its branch.
at::Tensor dropout_fused(const at::Tensor& x, const Packed& rows, const Dropout& dropout);

}  // namespace plumb::ops
