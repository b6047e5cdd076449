#pragma once

#include "plumb/ops/residual.h"

namespace plumb::ops {

/// residual() by one kernel. Of the norm it keeps its output, which the next sub-layer keeps too, and not the sum, as
/// long as the output tells what the sum was.
at::Tensor residual_fused(const ResidualTerms& terms);

}  // namespace plumb::ops
