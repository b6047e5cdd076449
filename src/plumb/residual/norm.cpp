#include "plumb/residual/norm.h"

#include <cmath>

#include <ATen/ATen.h>

namespace plumb {
namespace {

constexpr double kDytAlpha = 0.5;

Fill constant(double value) {
  return {.kind = Fill::Kind::Constant, .value = value};
}

at::Tensor leaf_or_nothing(const Parameter& parameter) {
  return parameter ? *parameter : at::Tensor();
}

}  // namespace

Norm::Norm(ParameterStore& store, ParameterPlace place, NormKind kind, int64_t width, double eps)
    : kind_(kind), eps_(eps) {
  place.part = "norms";
  if (place.role != ParameterRole::Head) place.role = ParameterRole::Norm;
  const bool one_scale = kind == NormKind::Scale;
  weight_ = store.declare(place, "weight", {one_scale ? 1 : width}, constant(one_scale ? std::sqrt(width) : 1));
  if (kind == NormKind::Layer || kind == NormKind::Dyt) {
    bias_ = store.declare(place, "bias", {width}, constant(0));
  }
  if (kind == NormKind::Dyt) alpha_ = store.declare(place, "alpha", {1}, constant(kDytAlpha));
}

ops::NormWeights Norm::weights() const {
  return {*weight_, leaf_or_nothing(bias_), leaf_or_nothing(alpha_)};
}

at::Tensor Norm::operator()(const at::Tensor& x) const {
  return ops::norm(kind_, x, weights(), eps_);
}

ops::SkipAndNorm Norm::skip_and_norm(const at::Tensor& x, double factor) const {
  ops::NormWeights scaled = weights();
  if (factor != 1) {
    // Every kind of norm is linear in weight and bias: a factor on them costs D multiplications, not N D.
    scaled.weight = scaled.weight * factor;
    if (scaled.bias.defined()) scaled.bias = scaled.bias * factor;
  }
  return ops::skip_and_norm(kind_, x, scaled, eps_);
}

at::Tensor Norm::of_components(const at::Tensor& x) const {
  const at::Tensor whole = x.sum(0);
  at::Tensor y;
  switch (kind_) {
    case NormKind::Layer: {
      const at::Tensor variance = whole.var(-1, /*unbiased=*/false, /*keepdim=*/true);
      y = *weight_ * (x - x.mean(-1, /*keepdim=*/true)) / (variance + eps_).sqrt();
      break;
    }
    case NormKind::Rms:
      y = *weight_ * x / (whole.square().mean(-1, /*keepdim=*/true) + eps_).sqrt();
      break;
    case NormKind::Scale:
      y = *weight_ * x / whole.norm(2, -1, /*keepdim=*/true).clamp_min(eps_);
      break;
    case NormKind::Dyt:
      y = *weight_ * x * at::where(whole == 0, *alpha_, at::tanh(*alpha_ * whole) / whole);
      break;
  }
  if (bias_) y[0] += *bias_;
  return y;
}

std::optional<ops::ResidualNorm> Norm::as_last() const {
  if (!*this) return std::nullopt;
  return ops::ResidualNorm{kind_, weights(), eps_};
}

}  // namespace plumb
