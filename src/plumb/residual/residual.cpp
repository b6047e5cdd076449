#include "plumb/residual/residual.h"

#include <ATen/ATen.h>

#include "plumb/residual/admin_profile.h"

namespace plumb {
namespace {

// fairseq calls the norms of the feed-forward sub-layer `final_...`.
std::string norm_prefix(Sublayer sublayer) {
  return sublayer == Sublayer::FeedForward ? "final" : std::string(word(sublayer));
}

Parameter declare_factor(ParameterStore& store, const ParameterPlace& place, const Factor& factor, int64_t width) {
  if (factor.kind != Factor::Kind::Scalar && factor.kind != Factor::Kind::Vector) return {};
  return store.declare(place, {}, {factor.kind == Factor::Kind::Vector ? width : 1}, {.value = factor.value});
}

ParameterPlace place_of(Stack stack, int layer, Sublayer sublayer, std::string module) {
  return {.stack = stack, .layer = layer, .sublayer = sublayer, .module = std::move(module)};
}

ParameterPlace norm_place(Stack stack, int layer, Sublayer sublayer) {
  return place_of(stack, layer, sublayer, norm_prefix(sublayer) + "_layer_norm");
}

ParameterPlace skip_scale_place(Stack stack, int layer, Sublayer sublayer) {
  return place_of(stack, layer, sublayer, std::string(word(sublayer)) + "_skip_scale");
}

}  // namespace

std::string norm_name(Stack stack, int layer, Sublayer sublayer) {
  return norm_place(stack, layer, sublayer).name();
}

std::string skip_scale_name(Stack stack, int layer, Sublayer sublayer) {
  return skip_scale_place(stack, layer, sublayer).name();
}

Parameter declare_layer_scalar(ParameterStore& store, const StackPlan& plan, int layer) {
  const Rule rule = plan.rule(Sublayer::SelfAttention, layer + 1);
  if (rule.g.kind != Factor::Kind::LayerScalar) return {};
  const ParameterPlace place{.stack = plan.stack, .layer = layer, .module = "branch_scale"};
  return store.declare(place, {}, {1}, {.value = rule.g.value});
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
  const std::string kind(word(sublayer));
  const auto at = [&](std::string module) { return place_of(plan.stack, layer, sublayer, std::move(module)); };
  const auto norm = [&](ParameterPlace place) {
    return Norm(store, std::move(place), plan.norm, plan.shape.width, plan.norm_eps);
  };
  if (rule_.norm_in) norm_in_ = norm(norm_place(plan.stack, layer, sublayer));
  if (rule_.norm_out) norm_out_ = norm(at(norm_prefix(sublayer) + "_output_layer_norm"));
  if (rule_.norm_post) norm_post_ = norm(norm_place(plan.stack, layer, sublayer));
  if (rule_.input_shift) shift_ = store.declare(at(kind + "_input_shift"), {}, {1}, {.value = 0});
  r_ = declare_factor(store, skip_scale_place(plan.stack, layer, sublayer), rule_.r, plan.shape.width);
  if (!g_) g_ = declare_factor(store, at(kind + "_branch_scale"), rule_.g, plan.shape.width);
}

at::Tensor Projected::sum() const {
  return bias.defined() ? product + bias : product;
}

ops::SkipAndNorm Residual::enter(const at::Tensor& x) const {
  const at::Tensor u = shift_ ? x - *shift_ : x;
  if (norm_in_ && !shift_) return norm_in_.skip_and_norm(x, rule_.c_in);
  if (norm_in_) return {x, norm_in_.skip_and_norm(u, rule_.c_in).normed};
  return {x, rule_.c_in == 1 ? u : u * rule_.c_in};
}

at::Tensor Residual::operator()(const at::Tensor& x, const at::Tensor& bottom, const ops::Packed& rows,
                                const Branch& branch, Flow& flow, const Pass& pass) const {
  const auto [skip, u] = enter(x);
  tap(pass, Tap::Point::In, u);

  const Projected f = branch(u);
  ops::ResidualTerms terms{
      .f = f.product,
      .bias = f.bias,
      .rows = rows,
      .dropout = pass.dropout(dropout_, DropoutKind::Branch, stack_, sublayer_, layer_),
  };
  if (norm_out_) {
    terms.f = norm_out_(f.sum());
    terms.bias.reset();
  }
  if (pass.observer || pass.profile) {  // somebody wants to see the branch by itself
    terms.f = ops::residual(terms);
    terms.bias.reset();
    terms.dropout = {};
    tap(pass, Tap::Point::Branch, terms.f);
    if (pass.profile && profiled_) pass.profile->measure(stack_, r_, x, terms.f);
  }
  flow.branch(terms);

  // A branch hands on what it read, so that its gradient and the skip's meet in one product. That is the skip only if
  // the branch read the skip's own tensor: no norm, shift or factor made another of it.
  const bool branch_read_skip = u.is_same(skip);
  terms.x = f.skip.defined() && branch_read_skip ? f.skip : skip;
  terms.r = gain(rule_.r, r_);
  terms.g = gain(rule_.g, g_);
  terms.beta = rule_.beta;
  terms.alpha = rule_.alpha;
  if (rule_.alpha != 0) terms.bottom = bottom;
  if (!pass.observer) {
    terms.norm = norm_post_.as_last();
    return past_norm(ops::residual(terms), bottom, rows);
  }
  const at::Tensor z = ops::residual(terms);
  tap(pass, Tap::Point::Sum, z);
  const at::Tensor out = past_norm(norm_post_ ? norm_post_(z) : z, bottom, rows);
  tap(pass, Tap::Point::Out, out);
  return out;
}

at::Tensor Residual::of_components(const at::Tensor& x, const at::Tensor& bottom, const at::Tensor& branch) const {
  const auto times = [](const at::Tensor& y, const ops::Gain& by) {
    return by.learned.defined() ? y * by.learned : y * by.value;
  };
  at::Tensor z = at::cat({times(x, gain(rule_.r, r_)), times(branch, gain(rule_.g, g_)).unsqueeze(0)});
  const auto add_bottom = [&](double factor) {  // it has fewer components: those of the layers below
    if (factor != 0) z.narrow(0, 0, bottom.size(0)).add_(bottom, factor);
  };
  if (rule_.beta != 1) z *= rule_.beta;
  add_bottom(rule_.alpha);
  if (norm_post_) z = norm_post_.of_components(z);
  add_bottom(rule_.alpha_out);
  return z;
}

at::Tensor Residual::past_norm(const at::Tensor& y, const at::Tensor& bottom, const ops::Packed& rows) const {
  if (rule_.alpha_out == 0) return y;
  return ops::residual({.f = y, .x = bottom, .rows = rows, .r = {.value = rule_.alpha_out}});
}

ops::Gain Residual::gain(const Factor& factor, const Parameter& learned) const {
  if (learned) return {.learned = *learned};
  return {.value = factor.kind == Factor::Kind::Constant ? factor.value : 1};
}

void Residual::tap(const Pass& pass, Tap::Point point, const at::Tensor& value) const {
  if (pass.observer) pass.observer->see({stack_, point, layer_, sublayer_}, value);
}

}  // namespace plumb
