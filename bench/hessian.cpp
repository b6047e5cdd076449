#include "hessian.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/ops/path.h"

#include "training_loss.h"

namespace plumb::bench {
namespace {

at::Tensor dot(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& parameters) {
  at::Tensor sum = at::zeros({});
  for (size_t i = 0; i < a.size(); ++i) sum = sum + (a[i] * parameters[i].detach()).sum();
  return sum;
}

}  // namespace

double curvature(const Transformer& model, const TrainingBatch& batch, const TrainConfig& train) {
  const ops::PathScope reference(ops::Path::Reference);
  const std::vector<at::Tensor>& parameters = model.parameters().leaves();
  const std::vector<at::Tensor> gradients =
      torch::autograd::grad({training_loss(model, batch, {}, train)}, parameters, /*grad_outputs=*/{},
                            /*retain_graph=*/true, /*create_graph=*/true);
  return dot(torch::autograd::grad({dot(gradients, parameters)}, parameters), parameters).item<double>();
}

}  // namespace plumb::bench
