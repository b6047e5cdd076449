// Relative gradient and update norms of every matrix over the checkpoints of a run (Liu et al. 2020, Figs. 5, 11).

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "plumb/probe/probe.h"

namespace plumb::probe {
namespace {

struct Measured {
  Labels labels;
  double update, value;
};

void add_relative(const std::string& number, const std::vector<Measured>& all, Readings& out) {
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (const Measured& one : all) {
    largest = std::max(largest, one.value);
    if (one.value > 0) smallest = std::min(smallest, one.value);
  }
  for (const Measured& one : all) out.add(number, one.labels, "update", one.update, one.value / largest);
  out.add("spread_" + number, {}, std::log10(largest / smallest));
}

}  // namespace

void update_norms(const Subject& subject, Readings& out) {
  std::vector<Measured> gradients, updates;
  at::Tensor before;
  for (const Subject::Checkpoint& checkpoint : subject.checkpoints()) {
    const auto model = subject.with_weights(checkpoint.file).build();
    const ParameterStore& store = model->parameters();
    subject.mean_gradient(*model);
    const at::Tensor moved = before.defined() ? store.values() - before : at::Tensor();
    for (const ParameterStore::Entry& entry : store.entries()) {
      const ParameterPlace& place = entry.spec.place;
      if (!place.layer || entry.spec.shape.size() != 2) continue;
      const Labels labels = {{"stack", std::string(word(place.stack))},
                             {"matrix", place.module},
                             {"layer", std::to_string(*place.layer + 1)}};
      const auto at = static_cast<double>(checkpoint.update);
      gradients.push_back({labels, at, store.gradient(entry.spec.name).norm().item<double>()});
      if (!moved.defined()) continue;
      updates.push_back({labels, at, moved.narrow(0, entry.offset, entry.count).norm().item<double>()});
    }
    before = store.values().clone();
  }
  add_relative("gradient", gradients, out);
  if (!updates.empty()) add_relative("update", updates, out);
}

}  // namespace plumb::probe
