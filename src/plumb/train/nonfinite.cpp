#include "plumb/train/nonfinite.h"

#include <ATen/ATen.h>

#include "plumb/task/loss.h"

namespace plumb {
namespace {

bool finite(const at::Tensor& x) {
  return x.isfinite().all().item<bool>();
}

// One that holds such a number spoils the gradients of all. If there is none, the trouble began in the backward pass,
// which comes to what was declared last first.
std::string wrong_parameter(const ParameterStore& parameters) {
  for (const auto& entry : parameters.entries()) {
    if (!finite(parameters.value(entry.spec.name))) return entry.spec.name;
  }
  for (auto entry = parameters.entries().rbegin(); entry != parameters.entries().rend(); ++entry) {
    if (!finite(parameters.gradient(entry->spec.name))) return entry->spec.name;
  }
  return "";
}

}  // namespace

NonFinite locate_nonfinite(const Transformer& model, const TrainingBatch& batch, const TrainConfig& train, Pass pass) {
  NonFinite found;
  found.parameter = wrong_parameter(model.parameters());
  TapRecorder taps;
  pass.observer = &taps;
  losses(model, batch, train, pass).smoothed.backward();
  for (const auto& record : taps.records()) {
    if (found.tap.empty() && !finite(record.value)) found.tap = record.tap.name();
    // Gradients flow from the end: the last tap whose gradient is wrong got it first.
    const at::Tensor gradient = record.value.grad();
    if (gradient.defined() && !finite(gradient)) found.gradient_tap = record.tap.name();
  }
  return found;
}

}  // namespace plumb
