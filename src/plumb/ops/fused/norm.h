#pragma once

#include "plumb/kernel/norm.h"
#include "plumb/ops/norm.h"

namespace plumb::ops {

/// The norm as the kernels know it. It points into the weights.
kernel::NormTerms norm_terms(NormKind kind, const NormWeights& weights, double eps);

/// norm(), or skip_and_norm() if `with_skip`, by one kernel. It keeps x and two numbers for each row.
SkipAndNorm norm_fused(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps, bool with_skip);

}  // namespace plumb::ops
