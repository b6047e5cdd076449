#include "plumb/residual/residual.h"

#include <ATen/ATen.h>

#include "plumb/residual/admin_profile.h"

namespace plumb {
namespace {

// fairseq calls the norms of the feed-forward sub-layer `final_...`.
std::string norm_prefix(Sublayer sublayer) {
  return sublayer == Sublayer::FeedForward ? "final" : std::string(word(sublayer));
}

Parameter declare_factor(ParameterStore& store, const std::string& name, const Factor& factor, int64_t width) {
  if (factor.kind != Factor::Kind::Scalar && factor.kind != Factor::Kind::Vector) return {};
  return store.declare({name, {factor.kind == Factor::Kind::Vector ? width : 1}, {.value = factor.value}});
}

}  // namespace

std::string layer_name(Stack stack, int layer) {
  return std::string(word(stack)) + ".layers." + std::to_string(layer);
}

std::string norm_name(Stack stack, int layer, Sublayer sublayer) {
  return layer_name(stack, layer) + '.' + norm_prefix(sublayer) + "_layer_norm";
}

std::string skip_scale_name(Stack stack, int layer, Sublayer sublayer) {
  return layer_name(stack, layer) + '.' + std::string(word(sublayer)) + "_skip_scale";
}

Parameter declare_layer_scalar(ParameterStore& store, const StackPlan& plan, int layer) {
  const Rule rule = plan.rule(Sublayer::SelfAttention, layer + 1);
  if (rule.g.kind != Factor::Kind::LayerScalar) return {};
  return store.declare({layer_name(plan.stack, layer) + ".branch_scale", {1}, {.value = rule.g.value}});
}

Residual::Residual(ParameterStore& store, const StackPlan& plan, Sublayer sublayer, int layer, double dropout,
                   Parameter layer_scalar)
    : stack_(plan.stack),
      sublayer_(sublayer),
      layer_(layer),
      rule_(plan.rule(sublayer, layer + 1)),
      profiled_(plan.placement->profiled),
      dropout_(dropout),
      g_(layer_scalar) {
  TORCH_CHECK(!(rule_.norm_in && rule_.norm_post), "a row with norm_in and norm_post has one name for two norms");
  TORCH_CHECK(rule_.r.kind != Factor::Kind::LayerScalar, "only the branch scale can be shared by a layer");
  const std::string prefix = layer_name(plan.stack, layer) + '.';
  const std::string name = prefix + std::string(word(sublayer));
  const auto norm = [&](const std::string& called) {
    return Norm(store, called, plan.norm, plan.shape.width, plan.norm_eps);
  };
  if (rule_.norm_in) norm_in_ = norm(norm_name(plan.stack, layer, sublayer));
  if (rule_.norm_out) norm_out_ = norm(prefix + norm_prefix(sublayer) + "_output_layer_norm");
  if (rule_.norm_post) norm_post_ = norm(norm_name(plan.stack, layer, sublayer));
  if (rule_.input_shift) shift_ = store.declare({name + "_input_shift", {1}, {.value = 0}});
  r_ = declare_factor(store, skip_scale_name(plan.stack, layer, sublayer), rule_.r, plan.shape.width);
  if (!g_) g_ = declare_factor(store, name + "_branch_scale", rule_.g, plan.shape.width);
}

at::Tensor Residual::operator()(const at::Tensor& x, const at::Tensor& bottom, const ops::Packed& rows,
                                const Branch& branch, Flow& flow, const Pass& pass) const {
  at::Tensor u = shift_ ? x - *shift_ : x;
  if (norm_in_) u = norm_in_(u);
  if (rule_.c_in != 1) u = u * rule_.c_in;
  tap(pass, Tap::Point::In, u);

  at::Tensor a = branch(u);
  if (norm_out_) a = norm_out_(a);
  a = ops::dropout(a, rows, pass.dropout(dropout_, DropoutKind::Branch, stack_, sublayer_, layer_));
  tap(pass, Tap::Point::Branch, a);
  flow.branch(a);

  if (pass.profile && profiled_) pass.profile->measure(stack_, r_, x, a);
  at::Tensor z = scaled(rule_.r, r_, x) + scaled(rule_.g, g_, a);
  if (rule_.beta != 1) z = z * rule_.beta;
  if (rule_.alpha != 0) z = z + (rule_.alpha == 1 ? bottom : bottom * rule_.alpha);
  tap(pass, Tap::Point::Sum, z);

  if (norm_post_) z = norm_post_(z);
  tap(pass, Tap::Point::Out, z);
  return z;
}

at::Tensor Residual::scaled(const Factor& factor, const Parameter& learned, const at::Tensor& x) const {
  if (learned) return x * *learned;
  return factor.kind == Factor::Kind::Constant ? x * factor.value : x;
}

void Residual::tap(const Pass& pass, Tap::Point point, const at::Tensor& value) const {
  if (pass.observer) pass.observer->see({stack_, point, layer_, sublayer_}, value);
}

}  // namespace plumb
