#include "ops/support/derivatives.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr double kStep = 1e-3;
constexpr double kFloor = 1e-3;

/// A scalar whose first and second derivatives by the output differ from element to element.
at::Tensor scalar(const DerivativeCase& which, const Tensors& inputs) {
  const at::Tensor y = which.op(inputs);
  const at::Tensor weights = random(y.sizes().vec(), 99);
  return (weights * y + 0.3 * y * y).sum();
}

Tensors double_leaves(const Tensors& inputs) {
  Tensors result;
  for (const at::Tensor& x : inputs) result.push_back(x.detach().clone().requires_grad_());
  return result;
}

Tensors gradient(const DerivativeCase& which, const Tensors& inputs) {
  const Tensors at = double_leaves(inputs);
  return torch::autograd::grad({scalar(which, at)}, at);
}

/// f(-2h), f(-h), f(h), f(2h) -> f'(0), with an error of order h^4.
template <class Function>
auto five_points(const Function& f) {
  return ((f(kStep) - f(-kStep)) * 8 - (f(2 * kStep) - f(-2 * kStep))) / (12 * kStep);
}

double relative(double actual, double expected) {
  const double error = std::abs(actual - expected) / std::max({std::abs(actual), std::abs(expected), kFloor});
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

Tensors moved(const Tensors& inputs, const Tensors& directions, double t) {
  Tensors result;
  for (size_t i = 0; i < inputs.size(); ++i) result.push_back(inputs[i] + t * directions[i]);
  return result;
}

at::Tensor flattened(const Tensors& tensors) {
  Tensors flat;
  for (const at::Tensor& x : tensors) flat.push_back(x.reshape({-1}));
  return at::cat(flat);
}

}  // namespace

double gradient_error(const DerivativeCase& which) {
  const Tensors actual = gradient(which, which.inputs);
  at::NoGradGuard no_grad;
  double worst = 0;
  for (size_t i = 0; i < which.inputs.size(); ++i) {
    for (int64_t j = 0; j < which.inputs[i].numel(); ++j) {
      const double expected = five_points([&](double t) {
        Tensors inputs = which.inputs;
        inputs[i] = inputs[i].clone();
        inputs[i].data_ptr<double>()[j] += t;
        return scalar(which, inputs).item<double>();
      });
      worst = std::max(worst, relative(actual[i].reshape({-1})[j].item<double>(), expected));
    }
  }
  return worst;
}

double hessian_error(const DerivativeCase& which) {
  Tensors direction;
  for (const at::Tensor& x : which.inputs) direction.push_back(random(x.sizes().vec(), 77 + direction.size()));

  const Tensors at = double_leaves(which.inputs);
  const Tensors first =
      torch::autograd::grad({scalar(which, at)}, at, {}, /*retain_graph=*/true, /*create_graph=*/true);
  const at::Tensor slope = (flattened(first) * flattened(direction)).sum();
  const at::Tensor actual = flattened(torch::autograd::grad({slope}, at));

  const at::Tensor expected =
      five_points([&](double t) { return flattened(gradient(which, moved(which.inputs, direction, t))); });
  double worst = 0;
  for (int64_t i = 0; i < actual.numel(); ++i) {
    worst = std::max(worst, relative(actual[i].item<double>(), expected[i].item<double>()));
  }
  return worst;
}

}  // namespace plumb::test
