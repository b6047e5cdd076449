// Expected gradients (Xiong et al. 2020, Fig. 3a, b; Takase et al. 2022, Fig. 3): the gradients of the mini-batches are
// averaged first, then the norm is taken. The mean of the norms would be something else, mostly noise.

#include <cmath>
#include <map>

#include <ATen/ATen.h>

#include "plumb/probe/probe.h"

namespace plumb::probe {
namespace {

void parameter_gradients(const ParameterStore& store, Readings& out) {
  std::map<std::pair<Stack, int>, double> squares;
  for (const ParameterStore::Entry& entry : store.entries()) {
    const ParameterPlace& place = entry.spec.place;
    if (!place.layer) continue;
    const int layer = *place.layer + 1;
    const double norm = store.gradient(entry.spec.name).norm().item<double>();
    squares[{place.stack, layer}] += norm * norm;
    if (entry.spec.shape.size() != 2) continue;
    out.add("matrix", {{"stack", std::string(word(place.stack))}, {"matrix", place.module}}, "layer", layer, norm);
  }
  for (const auto& [place, sum] : squares) {
    out.add("layer", {{"stack", std::string(word(place.first))}}, "layer", place.second, std::sqrt(sum));
  }
}

void activation_gradients(const Subject& subject, Transformer& model, Readings& out) {
  std::map<std::pair<Stack, int>, double> sums;
  for (const ProbeBatch& batch : subject.sample().batches) {
    const TapRecorder taps = subject.watched_pass(model, batch);
    for (const auto& [tap, value] : taps.records()) {
      if (tap.sublayer != Sublayer::FeedForward || tap.point != Tap::Point::Out) continue;
      sums[{tap.stack, tap.layer + 1}] += value.grad().norm().item<double>();
    }
  }
  const auto count = static_cast<double>(subject.sample().batches.size());
  for (const auto& [place, sum] : sums) {
    out.add("activation", {{"stack", std::string(word(place.first))}}, "layer", place.second, sum / count);
  }
}

}  // namespace

void gradient_norm(const Subject& subject, Readings& out) {
  const auto model = subject.build();
  out.add("loss", {}, subject.mean_gradient(*model));
  parameter_gradients(model->parameters(), out);
  activation_gradients(subject, *model, out);
}

}  // namespace plumb::probe
