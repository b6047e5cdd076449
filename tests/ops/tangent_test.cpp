// Tangents through every op: the derivative along a direction and its gradient, on the fused path in float, against
// what the reference in double gives by differentiating twice, which gradcheck_test.cpp holds against finite
// differences.

#include "plumb/ops/tangent.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/ops/path.h"

#include "ops/support/cases.h"
#include "ops/support/comparisons.h"
#include "support/numbers.h"

namespace plumb::test {
namespace {

using Tensors = std::vector<at::Tensor>;

/// The derivative of a case's value along a direction, and the gradient by the inputs of a random sum of it.
struct TangentOutcome {
  at::Tensor tangent;
  Tensors gradients;
};

Tensors directions(const Tensors& inputs, at::ScalarType dtype) {
  Tensors result;
  for (size_t i = 0; i < inputs.size(); ++i) result.push_back(random(inputs[i].sizes().vec(), 200 + i).to(dtype));
  return result;
}

TangentOutcome by_tangents(const DerivativeCase& which) {
  const ops::TangentScope scope;
  const Tensors inputs = leaves(which.inputs, at::kFloat), along = directions(inputs, at::kFloat);
  for (size_t i = 0; i < inputs.size(); ++i) ops::set_tangent(inputs[i], along[i]);
  const at::Tensor tangent = ops::tangent_of(which.op(inputs));
  if (!tangent.requires_grad()) return {tangent, {inputs.size(), at::Tensor()}};  // the op is linear
  return {tangent.detach(), torch::autograd::grad({tangent}, inputs, {slope_of(tangent)}, /*retain_graph=*/{},
                                                  /*create_graph=*/false, /*allow_unused=*/true)};
}

/// g = d(s . value) / d inputs is linear in s: the gradient of g . direction by s is the derivative along it.
TangentOutcome by_second_derivative(const DerivativeCase& which) {
  const ops::PathScope path_scope(ops::Path::Reference);
  const Tensors inputs = leaves(which.inputs, at::kDouble), along = directions(inputs, at::kDouble);
  const at::Tensor value = which.op(inputs);
  const at::Tensor slope = slope_of(value).requires_grad_();
  const Tensors gradients = torch::autograd::grad({value}, inputs, {slope}, /*retain_graph=*/true,
                                                  /*create_graph=*/true);
  at::Tensor sum = at::zeros({}, at::kDouble);
  for (size_t i = 0; i < inputs.size(); ++i) sum = sum + (gradients[i] * along[i]).sum();
  TangentOutcome outcome;
  outcome.tangent = torch::autograd::grad({sum}, {slope}, {}, /*retain_graph=*/true)[0];
  outcome.gradients = torch::autograd::grad({sum}, inputs, {}, /*retain_graph=*/{}, /*create_graph=*/false,
                                            /*allow_unused=*/true);
  return outcome;
}

/// What no path leads to is zero.
at::Tensor full(const at::Tensor& gradient, const at::Tensor& like) {
  return gradient.defined() ? gradient : at::zeros_like(like);
}

class Tangents : public ::testing::TestWithParam<DerivativeCase> {};

TEST_P(Tangents, AgreeWithSecondDerivativesInDouble) {
  const TangentOutcome fused = by_tangents(GetParam()), exact = by_second_derivative(GetParam());
  EXPECT_LE(error(fused.tangent, exact.tangent), 1e-5);
  for (size_t i = 0; i < exact.gradients.size(); ++i) {
    const at::Tensor& input = GetParam().inputs[i];
    EXPECT_LE(error(full(fused.gradients[i], input), full(exact.gradients[i], input)), 2e-5) << "input " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Tangents, ::testing::ValuesIn(small_and_large_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace plumb::test
