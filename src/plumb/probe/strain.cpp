#include "plumb/probe/strain.h"

#include "plumb/config/stack_plan.h"
#include "plumb/probe/thresholds.h"
#include "plumb/residual/wiring.h"

namespace plumb::probe {
namespace {

/// Whether some path leads from the bottom of the stack to its end without a norm on it.
bool has_open_path(const ModelConfig& model, Stack stack) {
  const StackPlan plan = stack_plan(model, stack);
  ParameterStore declared;
  if (make_wiring(declared, plan)->passes_norms()) return true;
  for (int layer = 1; layer <= plan.shape.layers(stack); ++layer) {
    const auto& order = plan.shape.order(stack);
    if (plan.rule(order.back(), layer).alpha_out != 0) continue;  // a way past all norms of the layer
    for (Sublayer sublayer : order) {
      if (plan.rule(sublayer, layer).norm_post) return false;
    }
  }
  return true;
}

}  // namespace

Labels labels_of(Stack stack) {
  return {{"stack", std::string(word(stack))}};
}

Strain::Strain(const Findings& findings)
    : smallest(
          findings.number("relative_gradient", "smallest", labels_of(findings.config.model.shape().stacks().back()))),
      rate(findings.config.optim.lr),
      limit(thresholds::kStrainWithOpenPath) {
  for (Stack stack : findings.config.model.shape().stacks()) {
    if (!has_open_path(findings.config.model, stack)) limit = thresholds::kStrain;
  }
  // The smallest step tried is far inside the range where the shift is proportional to the step.
  if (const Curve* shift = findings.curve("step", "shift")) {
    per_rate = shift->points.front().over_seeds.mean / shift->points.front().at;
  }
}

bool Strain::vanishing() const {
  return !(smallest >= thresholds::kVanishing);
}

std::vector<const ProbeRow*> probes_of_the_forecast() {
  return {find_probe("relative_gradient"), find_probe("step")};
}

}  // namespace plumb::probe
