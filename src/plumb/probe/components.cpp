#include "plumb/probe/components.h"

#include <ATen/ATen.h>

#include "plumb/residual/residual.h"

namespace plumb::probe {

Components::Components(const Transformer& model, Stack stack, const TapRecorder& taps)
    : store_(model.parameters()), plan_(plan(model.config(), stack)), taps_(taps) {}

at::Tensor Components::value(const std::string& name) const {
  return store_.value(name);
}

// The norm of the sum, applied to each component with the sum's own statistics.
at::Tensor Components::normed(const at::Tensor& x, const std::string& name) const {
  const at::Tensor whole = x.sum(0), weight = value(name + ".weight");
  at::Tensor y;
  switch (plan_.norm) {
    case NormKind::Layer: {
      const at::Tensor variance = whole.var(-1, /*unbiased=*/false, /*keepdim=*/true);
      y = weight * (x - x.mean(-1, /*keepdim=*/true)) / (variance + plan_.norm_eps).sqrt();
      break;
    }
    case NormKind::Rms:
      y = weight * x / (whole.square().mean(-1, /*keepdim=*/true) + plan_.norm_eps).sqrt();
      break;
    case NormKind::Scale:
      y = weight * x / whole.norm(2, -1, /*keepdim=*/true).clamp_min(plan_.norm_eps);
      break;
    case NormKind::Dyt: {
      const at::Tensor alpha = value(name + ".alpha");
      y = weight * x * at::where(whole == 0, alpha, at::tanh(alpha * whole) / whole);
      break;
    }
  }
  if (store_.has(name + ".bias")) y[0] += value(name + ".bias");
  return y;
}

at::Tensor Components::branch_gain(const Rule& rule, int layer, Sublayer sublayer) const {
  const std::string prefix = layer_name(plan_.stack, layer) + '.';
  if (rule.g.kind == Factor::Kind::LayerScalar) return value(prefix + "branch_scale");
  if (rule.g.learned()) return value(prefix + std::string(word(sublayer)) + "_branch_scale");
  return at::full({}, rule.g.kind == Factor::Kind::Constant ? rule.g.value : 1.0);
}

at::Tensor Components::after(int layer, Sublayer sublayer, const at::Tensor& x, const at::Tensor& bottom) const {
  const Rule rule = plan_.rule(sublayer, layer + 1);
  const Tap branch{plan_.stack, Tap::Point::Branch, layer, sublayer};
  at::Tensor z = rule.r.learned() ? x * value(skip_scale_name(plan_.stack, layer, sublayer))
                                  : x * (rule.r.kind == Factor::Kind::Constant ? rule.r.value : 1.0);
  z = at::cat({z, (branch_gain(rule, layer, sublayer) * taps_.value(branch.name())).unsqueeze(0)});
  if (rule.beta != 1) z *= rule.beta;
  if (rule.alpha != 0) z.narrow(0, 0, bottom.size(0)).add_(bottom, rule.alpha);
  if (rule.norm_post) z = normed(z, norm_name(plan_.stack, layer, sublayer));
  if (rule.alpha_out != 0) z.narrow(0, 0, bottom.size(0)).add_(bottom, rule.alpha_out);
  return z;
}

at::Tensor Components::kept(int layer, const at::Tensor& x) const {
  if (plan_.placement->wiring != WiringKind::DlclPre || layer == 0) return x;
  return normed(x, std::string(word(plan_.stack)) + ".history.layer_norms." + std::to_string(layer));
}

at::Tensor Components::entering(int layer, const std::vector<at::Tensor>& states) const {
  const WiringKind wiring = plan_.placement->wiring;
  if (wiring != WiringKind::DlclPre && wiring != WiringKind::DlclPost) return states.back();
  const std::string history = std::string(word(plan_.stack)) + ".history.";
  const at::Tensor weights = value(history + "weights." + std::to_string(layer));
  at::Tensor sum = at::zeros_like(states.back());
  for (size_t i = 0; i < states.size(); ++i) {
    sum.narrow(0, 0, states[i].size(0)) += weights[static_cast<int64_t>(i)] * states[i];
  }
  if (wiring == WiringKind::DlclPre || layer == 0) return sum;
  return normed(sum, history + "layer_norms." + std::to_string(layer));
}

void Components::walk(const std::function<void(const Tap&, const at::Tensor&)>& see) {
  at::NoGradGuard no_grad;
  const at::Tensor& embedding = taps_.value(Tap{plan_.stack, Tap::Point::Embed}.name());
  at::Tensor x = at::stack({at::zeros_like(embedding), embedding});
  const bool keeps_all =
      plan_.placement->wiring == WiringKind::DlclPre || plan_.placement->wiring == WiringKind::DlclPost;
  std::vector<at::Tensor> states = {kept(0, x)};
  for (int layer = 0; layer < plan_.shape.layers(plan_.stack); ++layer) {
    x = entering(layer, states);
    const at::Tensor bottom = x;
    for (Sublayer sublayer : plan_.shape.order(plan_.stack)) {
      x = after(layer, sublayer, x, bottom);
      see({plan_.stack, Tap::Point::Out, layer, sublayer}, x);
    }
    if (!keeps_all) states.clear();
    states.push_back(kept(layer + 1, x));
  }
}

}  // namespace plumb::probe
