#include "plumb/optim/adam.h"

#include <cmath>

#include <ATen/ATen.h>

namespace plumb {

Adam::Adam(const OptimConfig& config, const ParameterStore& store)
    : Optimiser(config, store, {"exp_avg", "exp_avg_sq"}) {
  TORCH_CHECK(config.eps > 0, "an eps of ", config.eps, " divides zero by zero where a gradient is zero");
}

Optimiser::Update Adam::update(double lr, int64_t t) const {
  const auto count = static_cast<double>(t);
  const auto [b1, b2] = config().betas;
  const double correction1 = 1 - std::pow(b1, count), correction2 = std::sqrt(1 - std::pow(b2, count));
  const Step step = step_at(t);
  const bool corrects_v = config().eps_convention == EpsConvention::Torch;
  const double plain = lr * step.factor / correction1;
  const double size = corrects_v || step.kind == Step::Kind::Momentum ? plain : plain * correction2;

  return [=, keep1 = b1, keep2 = b2, eps = config().eps](Stretch& s) {
    const at::Tensor &m = s.state[0], &v = s.state[1];
    m.lerp_(s.g, 1 - keep1);
    v.mul_(keep2).addcmul_(s.g, s.g, 1 - keep2);
    if (step.kind == Step::Kind::None) return;
    if (step.kind == Step::Kind::Momentum) {
      s.p.add_(m, -size);
      return;
    }
    at::Tensor denominator = at::sqrt(v);
    if (corrects_v) denominator.div_(correction2);
    s.p.addcdiv_(m, denominator.add_(eps), -size);
  };
}

}  // namespace plumb
