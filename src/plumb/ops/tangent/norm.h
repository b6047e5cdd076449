#pragma once

#include "plumb/ops/norm.h"

namespace plumb::ops {

/// norm() of rows and weights that may have tangents, for the kinds whose row says that there is a kernel.
bool norm_has_tangent_kernel(NormKind kind);
at::Tensor norm_with_tangent(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps);

}  // namespace plumb::ops
