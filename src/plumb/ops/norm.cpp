#include "plumb/ops/norm.h"

#include <ATen/ATen.h>

#include "plumb/catalogue/norms.h"
#include "plumb/ops/fused/norm.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent.h"
#include "plumb/ops/tangent/norm.h"

namespace plumb::ops {
namespace {

// max(|x|_2, floor). The floor goes under the root: the slope of a root at zero would make the gradient of an all-zero
// row NaN, even where the floor holds.
at::Tensor length(const at::Tensor& x, double floor) {
  return x.square().sum(-1, /*keepdim=*/true).clamp_min(floor * floor).sqrt();
}

}  // namespace

at::Tensor reference_norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps) {
  switch (kind) {
    case NormKind::Layer:
      return at::layer_norm(x, {x.size(-1)}, weights.weight, weights.bias, eps);
    case NormKind::Rms:
      return x * (x.square().mean(-1, /*keepdim=*/true) + eps).rsqrt() * weights.weight;
    case NormKind::Scale:
      return x / length(x, eps) * weights.weight;
    case NormKind::Dyt:
      return (x * weights.alpha).tanh() * weights.weight + weights.bias;
  }
  TORCH_CHECK(false, "unknown norm kind");
}

at::Tensor norm_of_terms(NormKind kind, const at::Tensor& terms, const NormWeights& weights, double eps) {
  const at::Tensor whole = terms.sum(0);
  at::Tensor y;
  switch (kind) {
    case NormKind::Layer: {
      const at::Tensor variance = whole.var(-1, /*unbiased=*/false, /*keepdim=*/true);
      y = weights.weight * (terms - terms.mean(-1, /*keepdim=*/true)) / (variance + eps).sqrt();
      break;
    }
    case NormKind::Rms:
      y = weights.weight * terms / (whole.square().mean(-1, /*keepdim=*/true) + eps).sqrt();
      break;
    case NormKind::Scale:
      y = weights.weight * terms / whole.norm(2, -1, /*keepdim=*/true).clamp_min(eps);
      break;
    case NormKind::Dyt:
      y = weights.weight * terms * at::where(whole == 0, weights.alpha, at::tanh(weights.alpha * whole) / whole);
      break;
  }
  if (norm_row(kind).bias) y[0] += weights.bias;
  return y;
}

at::Tensor norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps) {
  if (takes_tangent_path(x) && norm_has_tangent_kernel(kind)) return norm_with_tangent(kind, x, weights, eps);
  if (takes_fused_path(x)) return norm_fused(kind, x, weights, eps, /*with_skip=*/false).normed;
  return reference_norm(kind, x, weights, eps);
}

SkipAndNorm skip_and_norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps) {
  if (!carries_tangents() && takes_fused_path(x)) return norm_fused(kind, x, weights, eps, /*with_skip=*/true);
  return {x, norm(kind, x, weights, eps)};
}

at::Tensor unit_length(const at::Tensor& x) {
  return x / length(x, 1e-12);
}

}  // namespace plumb::ops
