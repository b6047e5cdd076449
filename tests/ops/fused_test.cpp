// The fused path of every op against the reference path in double, over the list of cases that gradcheck_test.cpp holds
// against finite differences: values, gradients, and that neither depends on the number of threads.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/ops/path.h"

#include "ops/support/cases.h"
#include "ops/support/comparisons.h"
#include "support/numbers.h"

namespace plumb::test {
namespace {

using Tensors = std::vector<at::Tensor>;

/// The value of a case and the gradients of its inputs, from one random slope of the value.
struct FusedOutcome {
  at::Tensor value;
  Tensors gradients;
};

FusedOutcome run(const DerivativeCase& which, at::ScalarType dtype, ops::Path path) {
  const ops::PathScope scope(path);
  const Tensors inputs = leaves(which.inputs, dtype);
  const at::Tensor value = which.op(inputs);
  return {value.detach(), torch::autograd::grad({value}, inputs, {slope_of(value)})};
}

class FusedOps : public ::testing::TestWithParam<DerivativeCase> {
 protected:
  void TearDown() override { at::set_num_threads(1); }
};

TEST_P(FusedOps, AgreeWithTheReferenceInDouble) {
  const int64_t before = ops::reference_calls();
  const FusedOutcome fused = run(GetParam(), at::kFloat, ops::Path::Fused);
  EXPECT_EQ(ops::reference_calls(), before) << "the case did not take the fused path";
  const FusedOutcome exact = run(GetParam(), at::kDouble, ops::Path::Reference);
  EXPECT_LE(error(fused.value, exact.value), 2e-6);
  for (size_t i = 0; i < exact.gradients.size(); ++i) {
    EXPECT_LE(error(fused.gradients[i], exact.gradients[i]), 1e-5) << "input " << i;
  }
}

// A leaf with a gradient of its own gets what backward adds, whatever was there.
TEST_P(FusedOps, AddToTheGradientThatALeafHas) {
  const FusedOutcome fused = run(GetParam(), at::kFloat, ops::Path::Fused);
  Tensors inputs = leaves(GetParam().inputs, at::kFloat);
  for (at::Tensor& input : inputs) input.mutable_grad() = at::ones_like(input);
  Tensors buffers;
  for (const at::Tensor& input : inputs) buffers.push_back(input.grad());
  const at::Tensor value = GetParam().op(inputs);
  value.backward(slope_of(value));
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(inputs[i].grad().is_same(buffers[i])) << "input " << i;
    EXPECT_LE(error(inputs[i].grad() - 1, fused.gradients[i].to(at::kDouble)), 1e-5) << "input " << i;
  }
}

TEST_P(FusedOps, DoNotDependOnTheNumberOfThreads) {
  const FusedOutcome one = run(GetParam(), at::kFloat, ops::Path::Fused);
  for (int threads : {2, 3}) {
    at::set_num_threads(threads);
    const FusedOutcome many = run(GetParam(), at::kFloat, ops::Path::Fused);
    EXPECT_TRUE(at::equal(one.value, many.value)) << threads;
    for (size_t i = 0; i < one.gradients.size(); ++i) {
      EXPECT_TRUE(at::equal(one.gradients[i], many.gradients[i])) << threads << " threads, input " << i;
    }
  }
}

TEST_P(FusedOps, RefuseASecondDerivative) {
  const Tensors inputs = leaves(GetParam().inputs, at::kFloat);
  const at::Tensor value = GetParam().op(inputs);
  EXPECT_THROW(torch::autograd::grad({value}, inputs, {slope_of(value)}, /*retain_graph=*/true, /*create_graph=*/true),
               c10::Error);
}

INSTANTIATE_TEST_SUITE_P(Cases, FusedOps, ::testing::ValuesIn(small_and_large_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace plumb::test
