#include "plumb/ops/norm.h"

#include <ATen/ATen.h>

namespace plumb::ops {
namespace {

at::Tensor length(const at::Tensor& x) {
  return x.square().sum(-1, /*keepdim=*/true).sqrt();
}

}  // namespace

at::Tensor norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps) {
  switch (kind) {
    case NormKind::Layer:
      return at::layer_norm(x, {x.size(-1)}, weights.weight, weights.bias, eps);
    case NormKind::Rms:
      return x * (x.square().mean(-1, /*keepdim=*/true) + eps).rsqrt() * weights.weight;
    case NormKind::Scale:
      return x / length(x).clamp_min(eps) * weights.weight;
    case NormKind::Dyt:
      return (x * weights.alpha).tanh() * weights.weight + weights.bias;
  }
  TORCH_CHECK(false, "unknown norm kind");
}

at::Tensor unit_length(const at::Tensor& x) {
  return x / length(x).clamp_min(1e-12);
}

}  // namespace plumb::ops
