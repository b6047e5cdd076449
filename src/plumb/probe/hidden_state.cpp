// The size of hidden states against Lemma 2 of Xiong et al. 2020, and how far they stay from their mean
// ((epsilon, delta)-boundedness, Definition 1, which is one-sided).

#include <cmath>

#include <ATen/ATen.h>

#include "plumb/config/stack_plan.h"
#include "plumb/probe/probe.h"

namespace plumb::probe {
namespace {

constexpr double kEpsilons[] = {0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1};

at::Tensor squares(const at::Tensor& x) {
  return x.detach().square().sum(-1);
}

void boundedness(const at::Tensor& z, int64_t width, const Labels& labels, Readings& out) {
  const at::Tensor relative = z / z.mean() - 1;
  for (double epsilon : kEpsilons) {
    out.add("exceeding", labels, "epsilon", epsilon, (relative > epsilon).to(at::kDouble).mean().item<double>());
    out.add("chi_square", labels, "epsilon", epsilon, std::exp(-static_cast<double>(width) * epsilon * epsilon / 8));
  }
}

}  // namespace

void hidden_state(const Subject& subject, Readings& out) {
  const auto model = subject.build();
  const TapRecorder taps = subject.watched_forward(*model);
  const int64_t width = subject.model().width;
  const auto per_width = [&](const at::Tensor& x) {
    return squares(x).mean().item<double>() / static_cast<double>(width);
  };
  for (Stack stack : subject.stacks()) {
    const Labels labels = {{"stack", std::string(word(stack))}};
    const StackPlan plan = stack_plan(subject.model(), stack);
    const int last = plan.shape.layers(stack) - 1;
    const bool pre = plan.rule(Sublayer::FeedForward, last + 1).norm_in;
    for (const auto& [tap, value] : taps.records()) {
      if (tap.stack != stack) continue;
      if (tap.point == Tap::Point::Embed) out.add("size", labels, "layer", 0, per_width(value));
      if (tap.sublayer != Sublayer::FeedForward) continue;
      if (tap.point == Tap::Point::Sum) {
        out.add("sum", labels, "layer", tap.layer + 1, per_width(value));
        if (tap.layer == last) boundedness(squares(value), width, labels, out);
      }
      if (tap.point == Tap::Point::Out) out.add("size", labels, "layer", tap.layer + 1, per_width(value));
    }
    // The lemma's own setting has two sub-layers a layer and starts from |x|^2 = d.
    for (int layer = 1; pre && layer <= last + 1; ++layer) {
      out.add("low", labels, "layer", layer, 1 + layer / 2.0);
      out.add("high", labels, "layer", layer, 1 + 1.5 * layer);
    }
  }
}

}  // namespace plumb::probe
