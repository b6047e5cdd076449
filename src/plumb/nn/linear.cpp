#include "plumb/nn/linear.h"

namespace plumb {

Linear::Linear(ParameterStore& store, const StackPlan& plan, Sublayer sublayer, int layer,
               const std::vector<Part>& parts, int64_t fan_out, int64_t fan_in, bool with_bias) {
  const auto fill = [&](Role role) {
    return plan.fill(role, sublayer, layer + 1, static_cast<int>(fan_out), static_cast<int>(fan_in));
  };
  std::vector<ParameterSpec> weights, biases;
  for (const Part& part : parts) {
    const ParameterPlace place{plan.stack, layer, sublayer, ParameterRole::Matrix, word(sublayer), part.name};
    weights.push_back(spec_at(place, "weight", {fan_out, fan_in}, fill(part.weight)));
    biases.push_back(spec_at(place, "bias", {fan_out}, fill(part.bias)));
  }
  weight_ = store.declare_stacked(std::move(weights));
  if (with_bias) bias_ = store.declare_stacked(std::move(biases));
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  return ops::linear(x, *weight_, bias_ ? *bias_ : at::Tensor());
}

Projected Linear::project(const at::Tensor& x) const {
  return {ops::linear(x, *weight_, {}), bias_ ? *bias_ : at::Tensor()};
}

ops::LinearAndSkip Linear::and_skip(const at::Tensor& x) const {
  return ops::linear_and_skip(x, *weight_, bias_ ? *bias_ : at::Tensor());
}

Projected Linear::project_and_skip(const at::Tensor& x) const {
  const auto [product, skip] = ops::linear_and_skip(x, *weight_, {});
  Projected result{product, bias_ ? *bias_ : at::Tensor()};
  result.skip = skip;
  return result;
}

}  // namespace plumb
