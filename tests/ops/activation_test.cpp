#include "plumb/ops/activation.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

const Row kPoints = {-30, -8, -3, -1.7, -1, -0.4, -1e-3, 0, 1e-3, 0.4, 1, 1.7, 3, 8, 30};

at::Tensor points() {
  return tensor_of({kPoints});
}

double phi(double x) {
  return (1 + std::erf(x / std::sqrt(2.0))) / 2;
}

template <class Function>
Rows at_points(const Function& f) {
  Row row;
  for (double x : kPoints) row.push_back(f(x));
  return {row};
}

at::Tensor slope_at_points(Activation activation) {
  const at::Tensor x = points().requires_grad_();
  return torch::autograd::grad({ops::activate(activation, x).sum()}, {x})[0];
}

TEST(Relu, IsTheLargerOfItsInputAndZero) {
  const Rows expected = at_points([](double x) { return std::max(x, 0.0); });
  EXPECT_EQ(difference(ops::activate(Activation::Relu, points()), expected), 0);
}

TEST(Relu, HasASlopeOfOneAboveZeroAndNoneBelow) {
  const at::Tensor slope = slope_at_points(Activation::Relu);
  for (size_t i = 0; i < kPoints.size(); ++i) {
    const double x = kPoints[i], h = std::abs(x) / 2;
    if (x == 0) continue;
    const double differences = (std::max(x + h, 0.0) - std::max(x - h, 0.0)) / (2 * h);
    EXPECT_NEAR(slope[0][static_cast<int64_t>(i)].item<double>(), differences, 1e-12) << x;
  }
}

TEST(Gelu, IsItsInputTimesTheNormalDistribution) {
  const Rows expected = at_points([](double x) { return x * phi(x); });
  EXPECT_LE(difference(ops::activate(Activation::Gelu, points()), expected), 1e-15);
}

TEST(Gelu, IsTheExactFormAndNotTheOneWithATanh) {
  // At 1: 0.8413447 exactly, 0.8411920 by the tanh approximation.
  EXPECT_NEAR(ops::activate(Activation::Gelu, at::ones({1}, at::kDouble)).item<double>(), 0.8413447460685429, 1e-14);
}

TEST(Gelu, HasTheSlopeOfItsClosedForm) {
  const double root = std::sqrt(2 * std::acos(-1.0));
  const Rows expected = at_points([&](double x) { return phi(x) + x * std::exp(-x * x / 2) / root; });
  EXPECT_LE(difference(slope_at_points(Activation::Gelu), expected), 1e-14);
}

TEST(Activations, KeepTheTypeAndTheShape) {
  const at::Tensor x = random({2, 3, 4}, 1).to(at::kFloat);
  for (Activation activation : {Activation::Relu, Activation::Gelu}) {
    const at::Tensor y = ops::activate(activation, x);
    EXPECT_EQ(y.scalar_type(), at::kFloat);
    EXPECT_EQ(y.sizes(), x.sizes());
  }
}

}  // namespace
}  // namespace plumb::test
