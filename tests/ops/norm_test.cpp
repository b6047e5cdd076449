// The four norms against their definitions, in plain loops over doubles.

#include "plumb/ops/norm.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

using ops::NormWeights;

constexpr NormKind kKinds[] = {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt};
constexpr int64_t kWidths[] = {1, 2, 3, 7, 8, 31, 64, 129};

NormWeights random_weights(NormKind kind, int64_t width) {
  return {random({kind == NormKind::Scale ? 1 : width}, 11), random({width}, 12), random({1}, 13)};
}

NormWeights in_float(const NormWeights& w) {
  return {w.weight.to(at::kFloat), w.bias.to(at::kFloat), w.alpha.to(at::kFloat)};
}

Row plain_norm(NormKind kind, const Row& x, const NormWeights& weights, double eps) {
  const Row weight = rows_of(weights.weight)[0], bias = rows_of(weights.bias)[0];
  const double alpha = rows_of(weights.alpha)[0][0], n = static_cast<double>(x.size());
  double mean = 0, variance = 0, square = 0;
  for (double v : x) mean += v / n;
  for (double v : x) variance += (v - mean) * (v - mean) / n;
  for (double v : x) square += v * v;
  Row y;
  for (size_t i = 0; i < x.size(); ++i) {
    switch (kind) {
      case NormKind::Layer:
        y.push_back(weight[i] * (x[i] - mean) / std::sqrt(variance + eps) + bias[i]);
        break;
      case NormKind::Rms:
        y.push_back(weight[i] * x[i] / std::sqrt(square / n + eps));
        break;
      case NormKind::Scale:
        y.push_back(weight[0] * x[i] / std::max(std::sqrt(square), eps));
        break;
      case NormKind::Dyt:
        y.push_back(weight[i] * std::tanh(alpha * x[i]) + bias[i]);
        break;
    }
  }
  return y;
}

Rows plain_norm(NormKind kind, const at::Tensor& x, const NormWeights& weights, double eps) {
  Rows result;
  for (const Row& row : rows_of(x)) result.push_back(plain_norm(kind, row, weights, eps));
  return result;
}

class EveryNorm : public ::testing::TestWithParam<NormKind> {};

TEST_P(EveryNorm, AgreesWithItsDefinitionForEveryWidth) {
  for (int64_t width : kWidths) {
    const NormWeights weights = random_weights(GetParam(), width);
    const at::Tensor x = 3 * random({5, width}, 1) + 2;
    for (double eps : {1e-5, 1e-2}) {
      EXPECT_LE(difference(ops::norm(GetParam(), x, weights, eps), plain_norm(GetParam(), x, weights, eps)), 1e-13)
          << width << ' ' << eps;
    }
  }
}

TEST_P(EveryNorm, InFloatStaysCloseToTheDefinitionInDouble) {
  for (int64_t width : kWidths) {
    const NormWeights weights = in_float(random_weights(GetParam(), width));
    const at::Tensor x = (3 * random({5, width}, 1) + 2).to(at::kFloat);
    const at::Tensor y = ops::norm(GetParam(), x, weights, 1e-5);
    EXPECT_EQ(y.scalar_type(), at::kFloat);
    EXPECT_LE(difference(y, plain_norm(GetParam(), x, weights, 1e-5)), 3e-6) << width;
  }
}

TEST_P(EveryNorm, WorksOverTheLastDimensionOfAnyShape) {
  const NormWeights weights = random_weights(GetParam(), 6);
  const at::Tensor x = random({2, 3, 6}, 1);
  const at::Tensor y = ops::norm(GetParam(), x, weights, 1e-5);
  EXPECT_EQ(y.sizes(), x.sizes());
  EXPECT_LE(difference(y, plain_norm(GetParam(), x, weights, 1e-5)), 1e-13);
}

TEST_P(EveryNorm, OfZerosIsFinite) {
  const NormWeights weights = random_weights(GetParam(), 4);
  const at::Tensor x = at::zeros({2, 4}, at::kDouble);
  EXPECT_LE(difference(ops::norm(GetParam(), x, weights, 1e-5), plain_norm(GetParam(), x, weights, 1e-5)), 1e-13);
}

// A branch whose last matrix starts at zero (FixUp), or the padding row of an embedding, gives rows of zeros.
TEST_P(EveryNorm, HasAFiniteGradientAtZero) {
  const NormWeights weights = random_weights(GetParam(), 4);
  const at::Tensor x = at::zeros({2, 4}, at::kDouble).requires_grad_();
  const at::Tensor y = ops::norm(GetParam(), x, weights, 1e-5);
  const at::Tensor gradient = torch::autograd::grad({(y * random({2, 4}, 5)).sum()}, {x})[0];
  EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << gradient;
}

// The parts of a sum go through the norm of the sum one by one, and their sum is the norm of the sum.
TEST_P(EveryNorm, OfTermsAddsUpToTheNormOfTheirSum) {
  const NormWeights weights = random_weights(GetParam(), 6);
  at::Tensor terms = random({4, 5, 6}, 1);
  terms.select(1, 2).zero_();  // a row of zeros: DyT divides by it
  const at::Tensor parts = ops::norm_of_terms(GetParam(), terms, weights, 1e-5);
  EXPECT_EQ(parts.sizes(), terms.sizes());
  EXPECT_LE(difference(parts.sum(0), plain_norm(GetParam(), terms.sum(0), weights, 1e-5)), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryNorm, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(word(info.param)); });

TEST(LayerNorm, KeepsItsDigitsWhenTheMeanIsHuge) {
  // The one-pass variance would lose all of them: mean^2 / variance = 1e8 in float, 1e16 in double.
  const int64_t width = 64;
  const NormWeights weights = random_weights(NormKind::Layer, width);
  const at::Tensor x = random({5, width}, 1) + 1e8;
  EXPECT_LE(difference(ops::norm(NormKind::Layer, x, weights, 1e-5), plain_norm(NormKind::Layer, x, weights, 1e-5)),
            1e-7);
  const at::Tensor y = (random({5, width}, 1) + 1e4).to(at::kFloat);
  EXPECT_LE(difference(ops::norm(NormKind::Layer, y, in_float(weights), 1e-5),
                       plain_norm(NormKind::Layer, y, in_float(weights), 1e-5)),
            1e-3);
}

TEST(LayerNorm, OfOneNumberIsTheBias) {
  const NormWeights weights = random_weights(NormKind::Layer, 1);
  EXPECT_LE(difference(ops::norm(NormKind::Layer, random({3, 1}, 1), weights, 1e-5), Rows(3, rows_of(weights.bias)[0])),
            1e-13);
}

TEST(LayerNorm, DividesByThePopulationsDeviation) {
  // -1, 1: mean 0, variance 1 over two numbers (2 if divided by n - 1).
  const NormWeights plain{at::ones({2}, at::kDouble), at::zeros({2}, at::kDouble), {}};
  const at::Tensor x = at::tensor(std::vector<double>{-1, 1}, at::kDouble).view({1, 2});
  EXPECT_LE(difference(ops::norm(NormKind::Layer, x, plain, 0), {{-1, 1}}), 1e-13);
}

TEST(Norms, HaveTheirEpsilonInsideTheRoot) {
  // Variance and mean square 1, eps 3: 1 / sqrt(1 + 3) = 1/2; outside the root it would be 1/4.
  const NormWeights plain{at::ones({2}, at::kDouble), at::zeros({2}, at::kDouble), {}};
  const at::Tensor x = at::tensor(std::vector<double>{-1, 1}, at::kDouble).view({1, 2});
  EXPECT_LE(difference(ops::norm(NormKind::Layer, x, plain, 3), {{-0.5, 0.5}}), 1e-13);
  EXPECT_LE(difference(ops::norm(NormKind::Rms, x, plain, 3), {{-0.5, 0.5}}), 1e-13);
}

TEST(ScaleNorm, HasAFloorInsteadOfAnEpsilon) {
  const NormWeights two{at::full({1}, 2, at::kDouble), {}, {}};
  const at::Tensor x = at::tensor(std::vector<double>{3, 4}, at::kDouble).view({1, 2});
  EXPECT_LE(difference(ops::norm(NormKind::Scale, x, two, 1e-5), {{1.2, 1.6}}), 1e-13);
  EXPECT_LE(difference(ops::norm(NormKind::Scale, x, two, 10), {{0.6, 0.8}}), 1e-13);
}

TEST(UnitLength, DividesByTheLengthOfEveryRow) {
  const at::Tensor x = at::tensor(std::vector<double>{3, 4, 0, -2, 0, 0}, at::kDouble).view({3, 2});
  EXPECT_LE(difference(ops::unit_length(x), {{0.6, 0.8}, {0, -1}, {0, 0}}), 1e-13);
}

// Regime T starts with W_Q = W_K = 0, so that qk_norm = "l2" meets queries and keys of length zero.
TEST(UnitLength, HasAFiniteGradientAtZero) {
  const at::Tensor x = at::zeros({2, 4}, at::kDouble).requires_grad_();
  const at::Tensor gradient = torch::autograd::grad({(ops::unit_length(x) * random({2, 4}, 5)).sum()}, {x})[0];
  EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << gradient;
}

}  // namespace
}  // namespace plumb::test
