#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/terms.h"

namespace plumb::ops {

/// Sums over the rows, in nats.
struct CrossEntropy {
  at::Tensor smoothed;  // what is minimised
  at::Tensor nll;       // -log p of the targets alone
};

/// Label-smoothed cross-entropy, in the two ways in which fairseq has spread the mass over the V words:
///
///     all     (1 - eps) nll + eps / V * sum_v -log p_v                until 2021-02, and in the papers' forks
///     others  (1 - eps - e) nll + e * sum_v -log p_v, e = eps/(V-1)   since
///
/// logits [N, V], targets int64 [N].
CrossEntropy cross_entropies(const at::Tensor& logits, const at::Tensor& targets, double eps, SmoothingOver over);

/// The smoothed sum alone.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double eps, SmoothingOver over);

/// The cross-entropies of the logits features W^T: features [N, D], W [V, D]. Fused, it goes over the rows in chunks,
/// and neither the logits nor their gradient ever exist for all of them.
CrossEntropy projected_cross_entropies(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& targets,
                                       double eps, SmoothingOver over);

}  // namespace plumb::ops
