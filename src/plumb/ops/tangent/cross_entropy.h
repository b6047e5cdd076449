#pragma once

#include "plumb/ops/cross_entropy.h"

namespace plumb::ops {

/// projected_cross_entropies() of features and words that may have tangents, in chunks of rows. Only the smoothed sum
/// gets a tangent, and only that tangent a gradient, which is made in the same pass.
CrossEntropy projected_cross_entropies_with_tangent(const at::Tensor& features, const at::Tensor& weight,
                                                    const at::Tensor& targets, double eps, SmoothingOver over);

}  // namespace plumb::ops
