#pragma once

#include <utility>

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/terms.h"

namespace plumb::ops {

/// The learned parts of a norm; which of them exist depends on the kind.
struct NormWeights {
  at::Tensor weight;  // [D], ScaleNorm [1]
  at::Tensor bias;    // [D]
  at::Tensor alpha;   // [1]
};

/// Over the last dimension of x:
///
///     layer  weight * (x - mean) / sqrt(var + eps) + bias      population variance
///     rms    weight * x / sqrt(mean(x^2) + eps)
///     scale  weight * x / max(|x|_2, eps)
///     dyt    weight * tanh(alpha * x) + bias                   no statistics at all
at::Tensor norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps);

/// What a Pre-LN sub-layer begins with: x for the skip, and its norm for the branch. Both gradients of x come back to
/// one place, which adds them in the pass that it makes anyway.
struct SkipAndNorm {
  at::Tensor skip, normed;
};
SkipAndNorm skip_and_norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps);

/// The reference, whatever the path.
at::Tensor reference_norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps);

/// The terms of a norm's output where x [K, .., D] are the terms of its input: the norm of the sum, applied to each
/// term with the statistics of the sum. The bias goes to the first term. A kind that is not linear for fixed statistics
/// is taken as one factor for each number.
at::Tensor norm_of_terms(NormKind kind, const at::Tensor& terms, const NormWeights& weights, double eps);

/// x / max(|x|_2, 1e-12) over the last dimension.
at::Tensor unit_length(const at::Tensor& x);

}  // namespace plumb::ops
