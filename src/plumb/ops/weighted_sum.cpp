#include "plumb/ops/weighted_sum.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/weighted_sum.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent/weighted_sum.h"

namespace plumb::ops {
namespace {

at::Tensor reference(const std::vector<at::Tensor>& parts, const at::Tensor& weights) {
  return at::matmul(weights, at::stack(parts).flatten(1)).view(parts.front().sizes());
}

}  // namespace

at::Tensor weighted_sum(const std::vector<at::Tensor>& parts, const at::Tensor& weights) {
  TORCH_CHECK(std::ssize(parts) == weights.numel() && !parts.empty(), parts.size(), " parts, but ", weights.numel(),
              " weights");
  if (takes_tangent_path(weights)) return weighted_sum_with_tangent(parts, weights);
  if (takes_fused_path(weights)) return weighted_sum_fused(parts, weights);
  return reference(parts, weights);
}

}  // namespace plumb::ops
