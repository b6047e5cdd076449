#include "plumb/optim/adam.h"

#include <cmath>

#include <ATen/ATen.h>

#include "plumb/ops/fused/flat_buffers.h"

namespace plumb {

Adam::Adam(const OptimConfig& config, const ParameterStore& store)
    : Optimiser(config, store, {"exp_avg", "exp_avg_sq"}) {
  TORCH_CHECK(config.eps > 0, "an eps of ", config.eps, " divides zero by zero where a gradient is zero");
}

Adam::Sizes Adam::sizes_at(double lr, int64_t t) const {
  const auto count = static_cast<double>(t);
  const auto [b1, b2] = config().betas;
  const double correction1 = 1 - std::pow(b1, count), correction2 = std::sqrt(1 - std::pow(b2, count));
  const Step step = step_at(t);
  const bool corrects_v = config().eps_convention == EpsConvention::Torch;
  const double plain = lr * step.factor / correction1;
  return {.kind = step.kind,
          .size = corrects_v || step.kind == Kind::Momentum ? plain : plain * correction2,
          .v_scale = corrects_v ? 1 / correction2 : 1};
}

Optimiser::Update Adam::update(double lr, int64_t t, double gradient_scale) const {
  const Sizes sizes = sizes_at(lr, t);
  return fused() ? fused_update(sizes, lr, gradient_scale) : reference_update(sizes);
}

Optimiser::Update Adam::fused_update(const Sizes& sizes, double lr, double gradient_scale) const {
  const auto [b1, b2] = config().betas;
  const bool decoupled = config().decay == Decay::Decoupled;
  const double decay = config().weight_decay;
  const kernel::AdamStep call{
      .kind = sizes.kind,
      .gradient_scale = static_cast<float>(gradient_scale),
      .l2 = decoupled ? 0.0F : static_cast<float>(decay),
      .shrink = decoupled ? static_cast<float>(lr * decay) : 0.0F,
      .keep1 = static_cast<float>(b1),
      .take1 = static_cast<float>(1 - b1),
      .keep2 = static_cast<float>(b2),
      .take2 = static_cast<float>(1 - b2),
      .size = static_cast<float>(sizes.size),
      .v_scale = static_cast<float>(sizes.v_scale),
      .eps = static_cast<float>(config().eps),
  };
  return [call](Stretch& s) { ops::adam_update(call, s.p, s.g, s.state[0], s.state[1]); };
}

Optimiser::Update Adam::reference_update(const Sizes& sizes) const {
  const auto [b1, b2] = config().betas;
  return [sizes, keep1 = b1, keep2 = b2, eps = config().eps](Stretch& s) {
    const at::Tensor &m = s.state[0], &v = s.state[1];
    m.lerp_(s.g, 1 - keep1);
    v.mul_(keep2).addcmul_(s.g, s.g, 1 - keep2);
    if (sizes.kind == Kind::Momentum) s.p.add_(m, -sizes.size);
    if (sizes.kind == Kind::Adaptive) s.p.addcdiv_(m, at::sqrt(v).mul_(sizes.v_scale).add_(eps), -sizes.size);
  };
}

}  // namespace plumb
