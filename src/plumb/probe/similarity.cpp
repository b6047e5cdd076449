// Cosine similarity among layer outputs (Takase et al. 2022, Fig. 5).

#include <string>

#include <ATen/ATen.h>

#include "plumb/probe/probe.h"

namespace plumb::probe {

void similarity(const Subject& subject, Readings& out) {
  const auto model = subject.build();
  const TapRecorder taps = subject.watched_forward(*model);
  for (Stack stack : subject.stacks()) {
    std::vector<at::Tensor> directions;
    for (const auto& [tap, value] : taps.records()) {
      const bool layer_end = tap.sublayer == Sublayer::FeedForward && tap.point == Tap::Point::Out;
      if (tap.stack != stack || (!layer_end && tap.point != Tap::Point::Embed)) continue;
      directions.push_back(value / value.norm(2, -1, /*keepdim=*/true));
    }
    const std::string name(word(stack));
    for (size_t i = 0; i < directions.size(); ++i) {
      for (size_t j = 0; j < directions.size(); ++j) {
        const double cosine = (directions[i] * directions[j]).sum(-1).mean().item<double>();
        out.add("cosine", {{"stack", name}, {"of", std::to_string(i)}}, "layer", static_cast<double>(j), cosine);
        if (i + 1 == directions.size()) out.add("to_last", {{"stack", name}}, "layer", static_cast<double>(j), cosine);
      }
    }
  }
}

}  // namespace plumb::probe
