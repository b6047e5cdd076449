#include "plumb/probe/shift.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

namespace plumb::probe {
namespace {

/// As the theory has it, behind the final norm.
at::Tensor output_of(const Transformer& model, Stack stack, const ProbeBatch& batch) {
  at::NoGradGuard no_grad;
  return stack == Stack::Encoder ? model.encode(batch.inputs.source, model.pass()).states
                                 : model.features(batch.inputs, model.pass());
}

/// Matrices and tables alone: biases, norms and scales stay.
void move_at_random(const ParameterStore& store, uint64_t seed) {
  at::Generator random = at::make_generator<at::CPUGeneratorImpl>(seed);
  for (const ParameterStore::Entry& entry : store.entries()) {
    if (entry.spec.shape.size() != 2) continue;
    at::Tensor values = store.value(entry.spec.name);
    const at::Tensor drawn = at::rand(values.sizes(), random, Where(values.scalar_type()).options());
    values.add_(store.where().bring(drawn.sub_(0.5).sign_()), -OutputShift::kRandomStep);
  }
}

double squared_distance(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).square().sum(at::kDouble).item<double>();
}

}  // namespace

double OutputShift::relative_rate() const {
  return std::sqrt(adam / size) / kAdamStep;
}

OutputShift output_shift(const Subject& subject, Stack stack) {
  const auto model = subject.build();
  ParameterStore& store = model->parameters();
  const ProbeBatch& batch = subject.first();
  store.zero_gradients();
  subject.loss(*model, batch).backward();
  const at::Tensor before = output_of(*model, stack, batch);

  at::NoGradGuard no_grad;
  const at::Tensor weights = store.values().clone();
  OutputShift shift{.size = before.square().sum(at::kDouble).item<double>()};
  move_at_random(store, subject.seed());
  shift.random = squared_distance(output_of(*model, stack, batch), before);
  store.values().copy_(weights);
  store.values().add_(store.gradients().sign(), -OutputShift::kAdamStep);
  shift.adam = squared_distance(output_of(*model, stack, batch), before);
  return shift;
}

}  // namespace plumb::probe
