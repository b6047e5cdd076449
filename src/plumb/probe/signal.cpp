// A coordinate check over depth: the scale of activations and gradients in every layer, for several depths.

#include <string>

#include <ATen/ATen.h>

#include "plumb/probe/probe.h"

namespace plumb::probe {
namespace {

struct Profile {
  std::vector<double> activation, gradient;
};

Profile profile_of(const TapRecorder& taps, Stack stack) {
  Profile result;
  for (const auto& [tap, value] : taps.records()) {
    if (tap.stack != stack || tap.sublayer != Sublayer::FeedForward || tap.point != Tap::Point::Out) continue;
    result.activation.push_back(value.square().mean().sqrt().item<double>());
    result.gradient.push_back(value.grad().norm().item<double>());
  }
  return result;
}

}  // namespace

void signal_scale(const Subject& subject, Readings& out) {
  for (int depth : subject.depths()) {
    const Subject deeper = subject.with_depth(depth, depth);
    const auto model = deeper.build();
    const TapRecorder taps = deeper.watched_pass(*model, deeper.first());
    for (Stack stack : subject.stacks()) {
      const std::string name(word(stack));
      const Profile profile = profile_of(taps, stack);
      const double last = profile.gradient.back();
      for (size_t i = 0; i < profile.activation.size(); ++i) {
        const Labels labels = {{"stack", name}, {"depth", std::to_string(depth)}};
        out.add("activation", labels, "layer", static_cast<double>(i + 1), profile.activation[i]);
        out.add("gradient", labels, "layer", static_cast<double>(i + 1), profile.gradient[i] / last);
      }
      out.add("growth", {{"stack", name}}, "depth", depth, profile.activation.back() / profile.activation.front());
      out.add("decay", {{"stack", name}}, "depth", depth, profile.gradient.front() / last);
    }
  }
}

}  // namespace plumb::probe
