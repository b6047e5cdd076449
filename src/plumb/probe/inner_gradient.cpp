// Gradients at the five points inside a layer (Takase et al. 2022, Figs. 2a, 4, 7): (1) and (2) before and behind the
// norm of self-attention, (3) and (4) those of cross-attention, (5) before the last norm; and, as point 6, behind it.

#include <string>

#include <ATen/ATen.h>

#include "plumb/probe/probe.h"

namespace plumb::probe {
namespace {

/// The number that the paper gives to a point, or 0. An encoder has no (3) and (4).
int number_of(const Tap& tap) {
  const bool sum = tap.point == Tap::Point::Sum, out = tap.point == Tap::Point::Out;
  if (!tap.sublayer || (!sum && !out)) return 0;
  return 2 * static_cast<int>(*tap.sublayer) + (sum ? 1 : 2);
}

}  // namespace

void inner_gradient(const Subject& subject, Readings& out) {
  const auto model = subject.build();
  const TapRecorder taps = subject.watched_pass(*model, subject.first());
  double before = 0;
  for (const auto& [tap, value] : taps.records()) {
    const int point = number_of(tap);
    if (point == 0) continue;
    const std::string stack(word(tap.stack));
    const double norm = value.grad().norm().item<double>();
    out.add("gradient", {{"stack", stack}, {"point", std::to_string(point)}}, "layer", tap.layer + 1, norm);
    if (tap.point == Tap::Point::Sum) {
      before = norm;
      continue;
    }
    out.add("across", {{"stack", stack}, {"sublayer", std::string(word(*tap.sublayer))}}, "layer", tap.layer + 1,
            before / norm);
  }
}

}  // namespace plumb::probe
