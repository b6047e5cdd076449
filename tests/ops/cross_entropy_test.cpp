#include "plumb/ops/cross_entropy.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

const std::vector<int64_t> kTargets = {2, 0, 4, 4};

at::Tensor targets() {
  return at::tensor(kTargets, at::kLong);
}

Row minus_log_p(const Row& logits) {
  double largest = logits[0], sum = 0;
  for (double z : logits) largest = std::max(largest, z);
  for (double z : logits) sum += std::exp(z - largest);
  Row result;
  for (double z : logits) result.push_back(largest + std::log(sum) - z);
  return result;
}

/// The smoothed target distribution, word by word, straight from the definition.
double target_mass(bool right, size_t words, double eps, SmoothingOver smoothing) {
  const double v = static_cast<double>(words);
  if (smoothing == SmoothingOver::All) return (right ? 1 - eps : 0) + eps / v;
  const double each = eps / (v - 1);
  return (right ? 1 - eps - each : 0) + each;
}

double plain(const at::Tensor& logits, double eps, SmoothingOver smoothing) {
  double sum = 0;
  const Rows rows = rows_of(logits);
  for (size_t n = 0; n < rows.size(); ++n) {
    const Row losses = minus_log_p(rows[n]);
    for (size_t v = 0; v < losses.size(); ++v) {
      sum += target_mass(static_cast<int64_t>(v) == kTargets[n], losses.size(), eps, smoothing) * losses[v];
    }
  }
  return sum;
}

double actual(const at::Tensor& logits, double eps, SmoothingOver smoothing) {
  return ops::cross_entropy(logits, targets(), eps, smoothing).item<double>();
}

TEST(CrossEntropy, AgreesWithTheDefinitionInBothConventions) {
  for (int64_t words : {5, 37}) {
    const at::Tensor logits = 3 * random({4, words}, 1);
    for (SmoothingOver smoothing : {SmoothingOver::All, SmoothingOver::Others}) {
      for (double eps : {0.0, 0.1, 0.6}) {
        const double expected = plain(logits, eps, smoothing);
        EXPECT_NEAR(actual(logits, eps, smoothing), expected, 1e-12 * expected) << words << ' ' << eps;
      }
    }
  }
}

// The right word keeps 1 - eps + eps/V under the old convention, and exactly 1 - eps under the new one.
TEST(CrossEntropy, SpreadsTheMassOverAllWordsOrOverTheOthers) {
  const at::Tensor certain = at::zeros({4, 5}, at::kDouble);
  for (int64_t i = 0; i < 4; ++i) certain[i][kTargets[static_cast<size_t>(i)]] = 1000;  // -log p: 0 or 1000
  EXPECT_NEAR(actual(certain, 0.1, SmoothingOver::All), 4 * 1000 * 0.1 * 4 / 5, 1e-9);
  EXPECT_NEAR(actual(certain, 0.1, SmoothingOver::Others), 4 * 1000 * 0.1, 1e-9);
}

TEST(CrossEntropy, OfEqualLogitsIsTheLogarithmOfTheVocabularyWhateverTheSmoothing) {
  const at::Tensor even = at::full({4, 8}, -3, at::kDouble);
  for (SmoothingOver smoothing : {SmoothingOver::All, SmoothingOver::Others}) {
    for (double eps : {0.0, 0.1}) EXPECT_NEAR(actual(even, eps, smoothing), 4 * std::log(8.0), 1e-12);
  }
}

TEST(CrossEntropy, WithoutSmoothingIsTheSameInBothConventions) {
  const at::Tensor logits = random({4, 5}, 1);
  EXPECT_EQ(actual(logits, 0, SmoothingOver::All), actual(logits, 0, SmoothingOver::Others));
}

TEST(CrossEntropy, SumsOverTheRows) {
  const at::Tensor logits = random({4, 5}, 1);
  double sum = 0;
  for (int64_t i = 0; i < 4; ++i) {
    sum +=
        ops::cross_entropy(logits.narrow(0, i, 1), targets().narrow(0, i, 1), 0.1, SmoothingOver::All).item<double>();
  }
  EXPECT_NEAR(actual(logits, 0.1, SmoothingOver::All), sum, 1e-12);
}

TEST(CrossEntropy, StaysFiniteForLargeLogits) {
  for (double size : {1e3, 1e4}) {
    const at::Tensor logits = size * random({4, 5}, 1);
    for (SmoothingOver smoothing : {SmoothingOver::All, SmoothingOver::Others}) {
      const double expected = plain(logits, 0.1, smoothing);
      EXPECT_NEAR(actual(logits, 0.1, smoothing), expected, 1e-12 * expected);
      EXPECT_NEAR(actual(logits.to(at::kFloat), 0.1, smoothing), expected, 1e-6 * expected);
    }
  }
}

// d/dz = p - q, where q is the smoothed target; finite differences are in gradcheck_test.cpp.
TEST(CrossEntropy, HasTheGradientOfItsClosedForm) {
  const at::Tensor logits = (2 * random({4, 5}, 1)).requires_grad_();
  const Rows rows = rows_of(logits);
  for (SmoothingOver smoothing : {SmoothingOver::All, SmoothingOver::Others}) {
    Rows expected = rows;
    for (size_t n = 0; n < rows.size(); ++n) {
      const Row losses = minus_log_p(rows[n]);
      for (size_t v = 0; v < losses.size(); ++v) {
        const bool right = static_cast<int64_t>(v) == kTargets[n];
        expected[n][v] = std::exp(-losses[v]) - target_mass(right, losses.size(), 0.1, smoothing);
      }
    }
    const at::Tensor loss = ops::cross_entropy(logits, targets(), 0.1, smoothing);
    EXPECT_LE(difference(torch::autograd::grad({loss}, {logits})[0], expected), 1e-13);
  }
}

}  // namespace
}  // namespace plumb::test
