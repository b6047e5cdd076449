// The gradient of the last FFN against depth (Xiong et al. 2020, Fig. 3c, d): Theorem 1 bounds it by O(1) in the depth
// for Post-LN and by O(L^-1/2) for Pre-LN.

#include "plumb/probe/depth_scaling.h"

#include <cmath>
#include <optional>

#include <ATen/ATen.h>

#include "plumb/config/stack_plan.h"
#include "plumb/probe/probe.h"
#include "plumb/residual/residual.h"

namespace plumb::probe {
namespace {

/// Theorem 1 is about plain Post-LN and plain Pre-LN.
std::optional<double> theorem1_slope(const StackPlan& plan) {
  const Rule rule = plan.rule(Sublayer::FeedForward, 1);
  const bool plain = rule.r.kind == Factor::Kind::One && rule.g.kind == Factor::Kind::One && rule.alpha == 0 &&
                     rule.alpha_out == 0 && rule.beta == 1 && !rule.norm_out &&
                     plan.placement->wiring == WiringKind::Chain;
  if (!plain || rule.norm_in == rule.norm_post) return std::nullopt;
  return rule.norm_post ? 0 : -0.5;
}

}  // namespace

double last_ffn_gradient(const Subject& subject) {
  const auto model = subject.build();
  subject.mean_gradient(*model);
  const Stack last = subject.stacks().back();
  const int layers = subject.model().shape().layers(last);
  return model->parameters().gradient(layer_name(last, layers - 1) + ".fc2.weight").norm().item<double>();
}

void depth_scaling(const Subject& subject, Readings& out) {
  std::vector<double> log_depth, log_gradient;
  for (int depth : subject.depths()) {
    const double norm = last_ffn_gradient(subject.with_depth(depth, depth));
    out.add("last_ffn", {}, "depth", depth, norm);
    log_depth.push_back(std::log(depth));
    log_gradient.push_back(std::log(norm));
  }
  if (log_depth.size() > 1) out.add("slope", {}, fit_line(log_depth, log_gradient).slope);
  if (const auto slope = theorem1_slope(stack_plan(subject.model(), subject.stacks().back()))) {
    out.add("predicted", {}, *slope);
  }
}

}  // namespace plumb::probe
