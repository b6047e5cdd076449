#pragma once

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// The two ways in which fairseq has spread the smoothing mass over the V words.
enum class Smoothing {
  OverAll,     // (1 - eps) nll + eps / V * sum_v -log p_v              (until 2021-02; the papers' forks)
  OverOthers,  // (1 - eps - e) nll + e * sum_v -log p_v, e = eps/(V-1)  (since)
};

/// Sum over the rows of the label-smoothed cross-entropy, in nats. logits [N, V], targets int64 [N].
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double eps, Smoothing smoothing);

}  // namespace plumb::ops
