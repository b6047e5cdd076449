#include "plumb/train/locate.h"

#include <ATen/ATen.h>

#include "plumb/ops/cross_entropy.h"

namespace plumb {
namespace {

bool finite(const at::Tensor& x) {
  return x.isfinite().all().item<bool>();
}

}  // namespace

NonFinite locate_nonfinite(const Transformer& model, const TrainingBatch& batch, Pass pass, double label_smoothing,
                           SmoothingOver over) {
  NonFinite found;
  for (const auto& entry : model.parameters().entries()) {
    const std::string& name = entry.spec.name;
    if (finite(model.parameters().value(name)) && finite(model.parameters().gradient(name))) continue;
    found.parameter = name;
    break;
  }
  TapRecorder taps;
  pass.observer = &taps;
  const at::Tensor logits = model.logits(model.features(batch.inputs, pass));
  ops::cross_entropy(logits, batch.targets, label_smoothing, over).backward();
  for (const auto& record : taps.records()) {
    if (found.tap.empty() && !finite(record.value)) found.tap = record.tap.name();
    // Gradients flow from the end: the last tap whose gradient is wrong got it first.
    const at::Tensor gradient = record.value.grad();
    if (gradient.defined() && !finite(gradient)) found.gradient_tap = record.tap.name();
  }
  return found;
}

}  // namespace plumb
