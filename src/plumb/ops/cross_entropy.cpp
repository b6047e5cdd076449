#include "plumb/ops/cross_entropy.h"

#include <ATen/ATen.h>

namespace plumb::ops {

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double eps, Smoothing smoothing) {
  const at::Tensor minus_log_p = -at::log_softmax(logits, -1);
  const at::Tensor nll = minus_log_p.gather(1, targets.unsqueeze(1)).sum();
  if (eps == 0) return nll;
  const double words = static_cast<double>(logits.size(1));
  if (smoothing == Smoothing::OverAll) return (1 - eps) * nll + eps / words * minus_log_p.sum();
  const double each = eps / (words - 1);
  return (1 - eps - each) * nll + each * minus_log_p.sum();
}

}  // namespace plumb::ops
