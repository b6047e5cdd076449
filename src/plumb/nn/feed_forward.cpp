#include "plumb/nn/feed_forward.h"

#include <ATen/ATen.h>

#include "plumb/ops/activation.h"
#include "plumb/residual/residual.h"

namespace plumb {

FeedForward::FeedForward(ParameterStore& store, const StackPlan& plan, int layer, Activation activation, double dropout)
    : stack_(plan.stack), layer_(layer), activation_(activation), dropout_(dropout) {
  const Rule rule = plan.rule(Sublayer::FeedForward, layer + 1);
  const int64_t width = plan.shape.width, hidden = plan.shape.ffn_width;
  const auto at = [&](const char* module) {
    return ParameterPlace{.stack = plan.stack, .layer = layer, .sublayer = Sublayer::FeedForward, .module = module};
  };
  const auto linear = [&](const Linear::Part& part, int64_t fan_out, int64_t fan_in) {
    return Linear(store, plan, Sublayer::FeedForward, layer, {part}, fan_out, fan_in, rule.biases);
  };
  fc1_ = linear({"fc1", Role::HiddenIn, Role::HiddenInBias}, hidden, width);
  fc2_ = linear({"fc2", Role::HiddenOut, Role::HiddenOutBias}, width, hidden);
  if (rule.hidden_norm) hidden_norm_ = Norm(store, at("ffn_layernorm"), plan.norm, hidden, plan.norm_eps);
  if (rule.hidden_shifts) {
    inner_shift_ = store.declare(at("ffn_inner_shift"), {}, {1}, {.value = 0});
    hidden_shift_ = store.declare(at("ffn_hidden_shift"), {}, {1}, {.value = 0});
  }
}

Projected FeedForward::operator()(const at::Tensor& u, const ops::Packed& rows, const Pass& pass) const {
  Projected in = fc1_.project_and_skip(u);
  // A shift of every unit is a shift of its bias.
  if (inner_shift_) in.bias = in.bias.defined() ? in.bias - *inner_shift_ : -inner_shift_->expand({in.product.size(1)});
  const ops::Dropout site = pass.dropout(dropout_, DropoutKind::Activation, stack_, Sublayer::FeedForward, layer_);
  at::Tensor h = ops::bias_activation(activation_, in.product, in.bias, rows, site);
  if (hidden_norm_) h = hidden_norm_(h);
  if (hidden_shift_) h = h - *hidden_shift_;
  Projected out = fc2_.project(h);
  out.skip = in.skip;
  return out;
}

}  // namespace plumb
