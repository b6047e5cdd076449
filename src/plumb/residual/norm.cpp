#include "plumb/residual/norm.h"

#include <ATen/ATen.h>

#include "plumb/catalogue/norms.h"

namespace plumb {
namespace {

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
  const NormRow& row = norm_row(kind);
  const auto declare = [&](const char* part, const NormRow::Learned& learned) {
    return store.declare(place, part, {learned.numbers(width)}, constant(learned.first_value(width)));
  };
  weight_ = declare("weight", row.weight);
  if (row.bias) bias_ = declare("bias", *row.bias);
  if (row.alpha) alpha_ = declare("alpha", *row.alpha);
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
  return ops::norm_of_terms(kind_, x, weights(), eps_);
}

std::optional<ops::ResidualNorm> Norm::as_last() const {
  if (!*this) return std::nullopt;
  return ops::ResidualNorm{kind_, weights(), eps_};
}

}  // namespace plumb
