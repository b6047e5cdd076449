#include "plumb/ops/dropout.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

using ops::Dropout;
using ops::Packed;

constexpr Dropout kDropout{.p = 0.3, .seed = 5, .step = 7, .site = 11};

/// The factors themselves: dropout of ones.
at::Tensor factors(const Packed& rows, int64_t width, const Dropout& dropout) {
  return ops::dropout(at::ones({rows.rows(), width}, at::kDouble), rows, dropout);
}

/// The factors of one sequence inside a batch.
at::Tensor of_sequence(const at::Tensor& x, const Packed& rows, int64_t b) {
  return x.narrow(0, rows.begin(b), rows.length(b));
}

/// How often both keep or both drop, in standard errors from what independence predicts.
double dependence(const at::Tensor& a, const at::Tensor& b, double p) {
  const double n = static_cast<double>(a.numel());
  const double agree = ((a != 0) == (b != 0)).sum().item<double>() / n;
  const double expected = p * p + (1 - p) * (1 - p);
  return std::abs(agree - expected) / std::sqrt(expected * (1 - expected) / n);
}

TEST(Dropout, KeepsTheRightShareOfTheElements) {
  const Packed rows({100, 300, 100});
  for (double p : {0.01, 0.1, 0.3, 0.5, 0.9}) {
    const at::Tensor kept = factors(rows, 400, {.p = p, .seed = 1}) != 0;
    const double n = static_cast<double>(kept.numel());
    EXPECT_NEAR(kept.sum().item<double>() / n, 1 - p, 5 * std::sqrt(p * (1 - p) / n)) << p;
  }
}

TEST(Dropout, KeepsTheRightShareOfEveryFeatureAndOfEveryPosition) {
  const double p = kDropout.p;
  const at::Tensor kept = (factors(Packed({2000}), 10, kDropout) != 0).to(at::kDouble).mean(0);
  EXPECT_LE((kept - (1 - p)).abs().max().item<double>(), 5 * std::sqrt(p * (1 - p) / 2000));
  const at::Tensor by_position = (factors(Packed({10}), 2000, kDropout) != 0).to(at::kDouble).mean(1);
  EXPECT_LE((by_position - (1 - p)).abs().max().item<double>(), 5 * std::sqrt(p * (1 - p) / 2000));
}

TEST(Dropout, DividesWhatItKeepsByTheShareItKeeps) {
  const Packed rows({20, 30});
  const at::Tensor x = random({50, 9}, 1);
  const Rows before = rows_of(x), after = rows_of(ops::dropout(x, rows, kDropout));
  for (size_t i = 0; i < before.size(); ++i) {
    for (size_t j = 0; j < before[i].size(); ++j) {
      EXPECT_NEAR(after[i][j], after[i][j] == 0 ? 0 : before[i][j] / 0.7, 1e-14);
    }
  }
}

TEST(Dropout, OfNothingReturnsTheInputItself) {
  const at::Tensor x = random({5, 3}, 1);
  EXPECT_TRUE(ops::dropout(x, Packed({5}), {.p = 0, .seed = 4}).is_same(x));
  EXPECT_FALSE(Dropout{}.active());
  EXPECT_TRUE(kDropout.active());
}

TEST(Dropout, IsTheSameEveryTime) {
  const Packed rows({20, 30});
  EXPECT_TRUE(at::equal(factors(rows, 9, kDropout), factors(rows, 9, kDropout)));
}

TEST(Dropout, IsTheSameInFloatAndInDouble) {
  const Packed rows({20, 30});
  const at::Tensor in_float = ops::dropout(at::ones({50, 9}, at::kFloat), rows, kDropout);
  EXPECT_EQ(in_float.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(in_float, factors(rows, 9, kDropout).to(at::kFloat)));
}

TEST(Dropout, IsAnotherForEverySeedStepAndSite) {
  const Packed rows({100, 100});
  const at::Tensor first = factors(rows, 50, kDropout);
  for (const Dropout& other : {Dropout{0.3, 6, 7, 11}, Dropout{0.3, 5, 8, 11}, Dropout{0.3, 5, 7, 12},
                               Dropout{0.3, 5, 11, 7}, Dropout{0.3, 5 + (1ULL << 32), 7, 11},
                               Dropout{0.3, 5, 7 + (1ULL << 40), 11}, Dropout{0.3, 5, 7, 11 + (1ULL << 40)}}) {
    EXPECT_LE(dependence(first, factors(rows, 50, other), 0.3), 5)
        << other.seed << ' ' << other.step << ' ' << other.site;
  }
}

TEST(Dropout, IsAnotherForEverySamplePositionAndFeature) {
  const Packed rows({200, 200});
  const at::Tensor all = factors(rows, 60, kDropout);
  EXPECT_LE(dependence(of_sequence(all, rows, 0), of_sequence(all, rows, 1), 0.3), 5);
  for (int64_t shift : {1, 2, 3, 4, 8}) {
    EXPECT_LE(dependence(all.narrow(0, 0, 150), all.narrow(0, shift, 150), 0.3), 5) << shift;
    EXPECT_LE(dependence(all.narrow(1, 0, 50), all.narrow(1, shift, 50), 0.3), 5) << shift;
  }
}

TEST(Dropout, DoesNotDependOnTheOrderOfTheBatchOrOnWhoElseIsInIt) {
  const Packed batch({4, 7, 1}, {30, 10, 20}), turned({1, 4, 7}, {20, 30, 10}), alone({7}, {10});
  const at::Tensor in_batch = factors(batch, 9, kDropout), in_turned = factors(turned, 9, kDropout);
  EXPECT_TRUE(at::equal(of_sequence(in_batch, batch, 0), of_sequence(in_turned, turned, 1)));
  EXPECT_TRUE(at::equal(of_sequence(in_batch, batch, 1), of_sequence(in_turned, turned, 2)));
  EXPECT_TRUE(at::equal(of_sequence(in_batch, batch, 2), of_sequence(in_turned, turned, 0)));
  EXPECT_TRUE(at::equal(of_sequence(in_batch, batch, 1), factors(alone, 9, kDropout)));
}

TEST(Dropout, OfALongerSequenceOrAWiderModelStartsTheSame) {
  const at::Tensor large = factors(Packed({9}), 10, kDropout), small = factors(Packed({5}), 7, kDropout);
  EXPECT_TRUE(at::equal(large.narrow(0, 0, 5).narrow(1, 0, 7), small));
}

TEST(Dropout, TellsSamplesApartAboveTheThirtySecondBit) {
  const int64_t high = int64_t{1} << 32;
  const Packed rows({100, 100, 100, 100}, {3, 3 + high, 3 + 2 * high, 3 + (high << 10)});
  const at::Tensor all = factors(rows, 50, kDropout);
  for (int64_t a = 0; a < 4; ++a) {
    for (int64_t b = 0; b < a; ++b) {
      EXPECT_LE(dependence(of_sequence(all, rows, a), of_sequence(all, rows, b), 0.3), 5) << a << ' ' << b;
    }
  }
  EXPECT_TRUE(at::equal(of_sequence(all, rows, 1), factors(Packed({100}, {3 + high}), 50, kDropout)));
}

at::Tensor keep(const Packed& queries, const Packed& keys, int64_t heads, const Dropout& dropout = kDropout) {
  return ops::attention_keep(queries, keys, heads, dropout, at::kDouble);
}

TEST(AttentionDropout, KeepsTheRightShareAndDividesByIt) {
  const at::Tensor all = keep(Packed({100, 100}), Packed({100, 100}), 4);
  EXPECT_EQ(all.sizes(), (std::vector<int64_t>{2, 4, 100, 100}));
  const double n = static_cast<double>(all.numel()), kept = (all != 0).sum().item<double>();
  EXPECT_NEAR(kept / n, 0.7, 5 * std::sqrt(0.3 * 0.7 / n));
  EXPECT_LE((all.masked_select(all != 0) - 1 / 0.7).abs().max().item<double>(), 1e-14);
}

TEST(AttentionDropout, IsAnotherForEverySampleHeadQueryAndKey) {
  const at::Tensor all = keep(Packed({100, 100}), Packed({100, 100}), 2);
  EXPECT_LE(dependence(all[0], all[1], 0.3), 5);
  EXPECT_LE(dependence(all.select(1, 0), all.select(1, 1), 0.3), 5);
  for (int64_t shift : {1, 4}) {
    EXPECT_LE(dependence(all.narrow(2, 0, 90), all.narrow(2, shift, 90), 0.3), 5);
    EXPECT_LE(dependence(all.narrow(3, 0, 90), all.narrow(3, shift, 90), 0.3), 5);
  }
}

TEST(AttentionDropout, DoesNotDependOnTheBatch) {
  const at::Tensor both = keep(Packed({3, 5}, {8, 2}), Packed({6, 4}, {8, 2}), 2);
  const at::Tensor first = keep(Packed({3}, {8}), Packed({6}, {8}), 2)[0];
  const at::Tensor second = keep(Packed({5}, {2}), Packed({4}, {2}), 2)[0];
  EXPECT_TRUE(at::equal(both[0].narrow(1, 0, 3).narrow(2, 0, 6), first));
  EXPECT_TRUE(at::equal(both[1].narrow(1, 0, 5).narrow(2, 0, 4), second));
}

TEST(AttentionDropout, OfALongerSentenceStartsTheSame) {
  const at::Tensor large = keep(Packed({9}), Packed({10}), 3), small = keep(Packed({5}), Packed({7}), 2);
  EXPECT_TRUE(at::equal(large.narrow(1, 0, 2).narrow(2, 0, 5).narrow(3, 0, 7), small));
}

}  // namespace
}  // namespace plumb::test
