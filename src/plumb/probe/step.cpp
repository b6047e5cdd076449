// One step of Adam from the start, which goes along the sign of the gradient: how large may it be? The curvature along
// it gives a quadratic model of the loss; the loss itself is tried as well.

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/probe/hessian_vector.h"
#include "plumb/probe/probe.h"

namespace plumb::probe {
namespace {

constexpr double kFirstRate = 1e-6, kLastRate = 0.2;
constexpr double kRateFactor = 10;

double mean_loss_now(const Subject& subject, const Transformer& model) {
  at::NoGradGuard no_grad;
  double sum = 0;
  for (const ProbeBatch& batch : subject.sample().batches) sum += subject.loss(model, batch).item<double>();
  return sum / static_cast<double>(subject.sample().batches.size());
}

at::Tensor output_now(const Subject& subject, const Transformer& model) {
  at::NoGradGuard no_grad;
  return model.features(subject.first().inputs, model.pass());
}

/// direction^T H direction over the mini-batches.
double curvature_along(const Subject& subject, Transformer& model, const at::Tensor& direction) {
  ParameterStore& store = model.parameters();
  store.zero_gradients();
  const auto count = static_cast<double>(subject.sample().batches.size());
  for (const ProbeBatch& batch : subject.sample().batches) {
    add_hessian_vector(store, direction, [&] { return subject.loss(model, batch) / count; });
  }
  return (store.gradients() * direction).sum(at::kDouble).item<double>();
}

}  // namespace

void step_size(const Subject& subject, Readings& out) {
  const auto model = subject.build();
  ParameterStore& store = model->parameters();
  const double loss = subject.mean_gradient(*model);
  const at::Tensor direction = store.gradients().sign();
  const double slope = store.gradients().abs().sum(at::kDouble).item<double>();
  const double curvature = curvature_along(subject, *model, direction);
  out.add("slope", {}, slope);
  out.add("curvature", {}, curvature);
  if (curvature > 0) {  // else the quadratic model falls for ever
    out.add("rate_best", {}, slope / curvature);
    out.add("rate_stable", {}, 2 * slope / curvature);
  }

  const at::Tensor weights = store.values().clone(), before = output_now(subject, *model);
  double largest = 0;
  bool falling = true;
  for (double rate = kFirstRate; rate < kLastRate; rate *= kRateFactor) {
    {
      at::NoGradGuard no_grad;
      store.values().copy_(weights);
      store.values().add_(direction, -rate);
    }
    const double change = mean_loss_now(subject, *model) - loss;
    const double shift = ((output_now(subject, *model) - before).norm() / before.norm()).item<double>();
    out.add("loss_change", {}, "rate", rate, change);
    out.add("shift", {}, "rate", rate, shift);
    falling = falling && change < 0;
    if (falling) largest = rate;
  }
  out.add("rate_measured", {}, largest);
}

}  // namespace plumb::probe
