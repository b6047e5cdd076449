#include "plumb/kernel/cross_entropy.h"

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

constexpr float kEndless = std::numeric_limits<float>::infinity();

/// The losses of one row, by the formulas of ops/cross_entropy.h.
struct Losses {
  double smoothed, nll;
};

Losses losses_of(const std::vector<double>& logits, int64_t target, double eps, SmoothingOver over) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0, all = 0;
  for (const double x : logits) sum += std::exp(x - most);
  for (const double x : logits) all += most + std::log(sum) - x;
  const double nll = most + std::log(sum) - logits[target], words = static_cast<double>(logits.size());
  if (eps == 0) return {nll, nll};
  if (over == SmoothingOver::All) return {(1 - eps) * nll + eps / words * all, nll};
  const double each = eps / (words - 1);
  return {(1 - eps - each) * nll + each * all, nll};
}

struct LossCase {
  LossCase(int64_t row_count, int64_t vocabulary, double e = 0.1, SmoothingOver o = SmoothingOver::All)
      : rows(row_count),
        words(vocabulary),
        eps(e),
        over(o),
        logits(normal_numbers(rows * words, 5, 3, 1)),
        smoothed(rows),
        nll(rows) {
    for (int64_t row = 0; row < rows; ++row) targets.push_back((row * 7919 + words - 1) % words);
  }

  CrossEntropyTerms terms() { return {words, targets.data(), eps, over, smoothed.data(), nll.data()}; }
  std::vector<double> row(int64_t r) const { return {logits.begin() + r * words, logits.begin() + (r + 1) * words}; }

  int64_t rows, words;
  double eps;
  SmoothingOver over;
  std::vector<float> logits;
  std::vector<int64_t> targets;
  std::vector<double> smoothed, nll;
};

std::vector<LossCase> every_case() {
  std::vector<LossCase> all;
  for (const int64_t words : {1, 2, 3, 17, 64, 100, 129, 512, 5000}) {
    for (const double eps : {0.0, 0.1}) {
      for (const SmoothingOver over : {SmoothingOver::All, SmoothingOver::Others}) {
        if (words > 1 || eps == 0 || over == SmoothingOver::All)
          all.emplace_back(words > 200 ? 2 : 5, words, eps, over);
      }
    }
  }
  return all;
}

class CrossEntropyKernel : public EveryTarget {};

TEST_P(CrossEntropyKernel, LossesAgreeWithDoublePrecision) {
  for (LossCase& c : every_case()) {
    Guarded logits(c.logits);
    cross_entropy_losses(c.terms(), logits.data(), 0, c.rows);
    expect_same(logits.values(), c.logits, "the logits are only read");
    for (int64_t row = 0; row < c.rows; ++row) {
      const Losses want = losses_of(c.row(row), c.targets[row], c.eps, c.over);
      EXPECT_NEAR(c.nll[row], want.nll, 5e-7 * (1 + want.nll)) << c.words;
      EXPECT_NEAR(c.smoothed[row], want.smoothed, 5e-7 * (1 + want.smoothed)) << c.words;
    }
  }
}

TEST_P(CrossEntropyKernel, GradientAgreesWithDifferences) {
  for (LossCase& c : every_case()) {
    Guarded logits(c.logits);
    cross_entropy_gradient(c.terms(), logits.data(), 0.25F, 0, c.rows);
    const std::vector<double> smoothed = c.smoothed, nll = c.nll;
    cross_entropy_losses(c.terms(), c.logits.data(), 0, c.rows);
    EXPECT_EQ(smoothed, c.smoothed);  // to the bit
    EXPECT_EQ(nll, c.nll);
    if (c.words > 200) continue;
    for (int64_t row = 0; row < c.rows; ++row) {
      std::vector<double> x = c.row(row);
      const auto loss = [&] { return 0.25 * losses_of(x, c.targets[row], c.eps, c.over).smoothed; };
      const std::vector<float> all = logits.values();
      expect_close({all.begin() + row * c.words, all.begin() + (row + 1) * c.words}, differences(x, loss), 1e-6,
                   std::to_string(c.words), /*least=*/0.25);
    }
  }
}

TEST_P(CrossEntropyKernel, GradientOfALargeVocabularyIsTheSoftmaxMinusTheTarget) {
  LossCase c(2, 10007);
  Guarded logits(c.logits);
  cross_entropy_gradient(c.terms(), logits.data(), 1, 0, 2);
  for (int64_t row = 0; row < 2; ++row) {
    std::vector<double> want = c.row(row);
    double sum = 0;
    for (double& x : want) sum += x = std::exp(x);
    for (double& p : want) p = p / sum - c.eps / static_cast<double>(c.words);
    want[c.targets[row]] -= 1 - c.eps;
    const std::vector<float> all = logits.values();
    expect_close({all.begin() + row * c.words, all.begin() + (row + 1) * c.words}, want, 1e-7, "p - q");
  }
}

// The share of the second word is e^-x / (1 + e^-x): this is a test of the exponential, too.
TEST_P(CrossEntropyKernel, SmallProbabilitiesKeepTheirDigits) {
  for (double x = 0; x < 87; x += 0.0173) {
    LossCase c(1, 2, 0);
    c.targets = {0};
    c.logits = {0, static_cast<float>(-x)};
    const double power = std::exp(static_cast<double>(c.logits[1]));
    cross_entropy_gradient(c.terms(), c.logits.data(), 1, 0, 1);
    ASSERT_NEAR(c.logits[1], power / (1 + power), 3e-7 * power) << x;
  }
}

TEST_P(CrossEntropyKernel, LogitsMayBeHugeOrMinusInfinity) {
  LossCase c(2, 19, 0);
  for (int64_t i = 0; i < 19; ++i) {
    c.logits[i] = 1000 * c.logits[i] + 30000;  // e^x of none of them is a float
    c.logits[19 + i] = i < 10 ? -kEndless : static_cast<float>(i);
  }
  c.targets = {3, 12};
  Guarded logits(c.logits);
  cross_entropy_gradient(c.terms(), logits.data(), 1, 0, 2);
  for (int64_t row = 0; row < 2; ++row) {
    const Losses want = losses_of(c.row(row), c.targets[row], 0, c.over);
    EXPECT_NEAR(c.nll[row], want.nll, 1e-6 * (1 + want.nll));
    EXPECT_EQ(c.smoothed[row], c.nll[row]);
  }
  const std::vector<float> gradient = logits.values();
  EXPECT_NEAR(std::accumulate(gradient.begin() + 19, gradient.end(), 0.0), 0, 1e-6);
  EXPECT_EQ(gradient[19], 0);
}

TEST_P(CrossEntropyKernel, NotANumberSpoilsItsRowOnly) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kEndless}) {
    for (const int64_t words : {5, 100, 4099}) {
      for (const int64_t column : {int64_t{0}, words / 2, words - 1}) {
        LossCase c(3, words);
        c.logits[words + column] = bad;
        Guarded logits(c.logits);
        cross_entropy_gradient(c.terms(), logits.data(), 1, 0, 3);
        const std::vector<float> gradient = logits.values();
        for (int64_t i = 0; i < 3 * words; ++i) ASSERT_EQ(std::isnan(gradient[i]), i / words == 1) << i;
        cross_entropy_losses(c.terms(), c.logits.data(), 0, 3);
        for (int64_t row = 0; row < 3; ++row) {
          EXPECT_EQ(std::isfinite(c.nll[row]), row != 1);
          EXPECT_EQ(std::isfinite(c.smoothed[row]), row != 1);
        }
      }
    }
  }
}

TEST_P(CrossEntropyKernel, SplittingTheRowsChangesNoBit) {
  LossCase c(11, 100), d(11, 100);
  Guarded whole(c.logits), split(d.logits);
  cross_entropy_gradient(c.terms(), whole.data(), 0.5F, 0, 11);
  for (const auto& [begin, end] : {std::pair{7, 11}, {0, 1}, {1, 7}}) {
    cross_entropy_gradient(d.terms(), split.data(), 0.5F, begin, end);
  }
  expect_same(whole.values(), split.values(), "gradient");
  EXPECT_EQ(c.smoothed, d.smoothed);
  EXPECT_EQ(c.nll, d.nll);
  CrossEntropyTerms none = d.terms();
  none.smoothed = none.nll = nullptr;
  Guarded alone(d.logits);
  cross_entropy_gradient(none, alone.data(), 0.5F, 0, 11);
  expect_same(whole.values(), alone.values(), "nobody wants the losses");
}

INSTANTIATE_TEST_SUITE_P(Targets, CrossEntropyKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
