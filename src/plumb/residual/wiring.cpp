#include "plumb/residual/wiring.h"

#include <ATen/ATen.h>

namespace plumb {

Wiring::Wiring(ParameterStore& store, const StackPlan& plan, bool with_final_norm) {
  const auto at = [&](const char* module) { return ParameterPlace{.stack = plan.stack, .module = module}; };
  const Ending ending = ending_of(*plan.placement, plan.stack);
  if (with_final_norm) norm_ = Norm(store, at("layer_norm"), plan.norm, plan.shape.width, plan.norm_eps);
  if (ending.shift) shift_ = store.declare(at("output_shift"), {}, {1}, {.value = 0});
  if (ending.scale) scale_ = store.declare(at("output_scale"), {}, {1}, {.value = 1});
}

at::Tensor Wiring::finish(const at::Tensor& x) const {
  at::Tensor y = x;
  if (norm_) y = norm_(y);
  if (shift_) y = y - *shift_;
  if (scale_) y = y * *scale_;
  return y;
}

std::unique_ptr<Wiring> make_wiring(ParameterStore& store, const StackPlan& plan) {
  switch (plan.placement->wiring) {
    case WiringKind::Chain:
      return make_chain(store, plan);
    case WiringKind::DlclPre:
      return make_dlcl(store, plan, /*norm_before_mixing=*/true);
    case WiringKind::DlclPost:
      return make_dlcl(store, plan, /*norm_before_mixing=*/false);
    case WiringKind::Dual:
      return make_dual(store, plan);
  }
  TORCH_CHECK(false, "unknown wiring");
}

}  // namespace plumb
