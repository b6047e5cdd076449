// Gradients at the outputs of sub-layers, relative to the largest of their stack (Liu et al. 2020, Fig. 3).

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <ATen/ATen.h>

#include "plumb/probe/probe.h"

namespace plumb::probe {

void relative_gradient(const Subject& subject, Readings& out) {
  const auto model = subject.build();
  const TapRecorder taps = subject.watched_pass(*model, subject.first());
  struct At {
    Tap tap;
    double norm;
  };
  std::map<Stack, std::vector<At>> stacks;
  for (const auto& [tap, value] : taps.records()) {
    if (!tap.sublayer || tap.point != Tap::Point::Out) continue;
    stacks[tap.stack].push_back({tap, value.grad().norm().item<double>()});
  }
  for (const auto& [stack, all] : stacks) {
    const std::string name(word(stack));
    double largest = 0, smallest = std::numeric_limits<double>::infinity(), first = 0, last = 0;
    for (const At& one : all) {
      largest = std::max(largest, one.norm);
      smallest = std::min(smallest, one.norm);
      if (one.tap.sublayer != Sublayer::FeedForward) continue;
      if (one.tap.layer == 0) first = one.norm;
      last = one.norm;
    }
    for (const At& one : all) {
      out.add("relative", {{"stack", name}, {"sublayer", std::string(word(*one.tap.sublayer))}}, "layer",
              one.tap.layer + 1, one.norm / largest);
    }
    out.add("smallest", {{"stack", name}}, smallest / largest);
    const int layers = subject.model().shape().layers(stack);
    if (layers > 1) out.add("factor", {{"stack", name}}, std::pow(first / last, 1.0 / (layers - 1)));
  }
}

}  // namespace plumb::probe
