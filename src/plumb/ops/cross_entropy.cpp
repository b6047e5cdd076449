#include "plumb/ops/cross_entropy.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/cross_entropy.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent/cross_entropy.h"

namespace plumb::ops {

CrossEntropy cross_entropies(const at::Tensor& logits, const at::Tensor& targets, double eps, SmoothingOver over) {
  const at::Tensor minus_log_p = -at::log_softmax(logits, -1);
  const at::Tensor nll = minus_log_p.gather(1, targets.unsqueeze(1)).sum();
  if (eps == 0) return {nll, nll};
  const double words = static_cast<double>(logits.size(1));
  if (over == SmoothingOver::All) return {(1 - eps) * nll + eps / words * minus_log_p.sum(), nll};
  const double each = eps / (words - 1);
  return {(1 - eps - each) * nll + each * minus_log_p.sum(), nll};
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double eps, SmoothingOver over) {
  return cross_entropies(logits, targets, eps, over).smoothed;
}

CrossEntropy projected_cross_entropies(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& targets,
                                       double eps, SmoothingOver over) {
  if (takes_tangent_path(features)) {
    return projected_cross_entropies_with_tangent(features, weight, targets, eps, over);
  }
  if (takes_fused_path(features)) return projected_cross_entropies_fused(features, weight, targets, eps, over);
  return cross_entropies(at::mm(features, weight.t()), targets, eps, over);
}

}  // namespace plumb::ops
