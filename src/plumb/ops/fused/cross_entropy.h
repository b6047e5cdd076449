#pragma once

#include "plumb/ops/cross_entropy.h"

namespace plumb::ops {

/// projected_cross_entropies() in chunks of rows. The gradient is made in the same pass as the loss, while the chunk's
/// logits are in the cache, and waits for the backward pass as [N, D] and [V, D]. The sums are doubles.
CrossEntropy projected_cross_entropies_fused(const at::Tensor& features, const at::Tensor& weight,
                                             const at::Tensor& targets, double eps, SmoothingOver over);

/// How many rows of logits exist at a time.
int64_t logits_chunk_rows(int64_t words);

}  // namespace plumb::ops
