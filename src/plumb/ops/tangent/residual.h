#pragma once

#include "plumb/ops/residual.h"

namespace plumb::ops {

/// residual() of tensors that may have tangents. The sum is linear in what flows and in the gains: the product rule,
/// each part by the kernel. Then the norm.
at::Tensor residual_with_tangent(const ResidualTerms& terms);

}  // namespace plumb::ops
