#include "plumb/sweep/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "plumb/base/random_stream.h"
#include "plumb/metric/bootstrap.h"

namespace plumb::sweep {
namespace {

// What the expanded interval leaves out at each end, with Student's t as tables have it.
double tail_of(size_t n) {
  constexpr double kStudent[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469};  // 1 to 6 degrees of freedom
  const double pairs = static_cast<double>(n);
  return 0.5 * std::erfc(std::sqrt(pairs / (pairs - 1)) * kStudent[n - 2] / std::sqrt(2.0));
}

// Every resample written out, n^n of them, each as likely as any other.
std::pair<double, double> interval_by_loops(const std::vector<double>& differences) {
  const size_t n = differences.size();
  std::vector<double> means;
  std::vector<size_t> chosen(n, 0);
  while (true) {
    double sum = 0;
    for (const size_t i : chosen) sum += differences[i];
    means.push_back(sum / static_cast<double>(n));
    size_t place = 0;
    while (place < n && ++chosen[place] == n) chosen[place++] = 0;
    if (place == n) break;
  }
  std::sort(means.begin(), means.end());
  const auto out = static_cast<size_t>(std::ceil(tail_of(n) * static_cast<double>(means.size())));
  return {means[out - 1], means[means.size() - out]};
}

TEST(PairedDifference, IsExactForFewPairs) {
  const std::vector<double> differences = {0.31, -0.2, 0.07, 0.9, 0.44, 0.12, -0.05};
  for (size_t n = 2; n <= 7; ++n) {
    const std::vector<double> some(differences.begin(), differences.begin() + static_cast<std::ptrdiff_t>(n)), zeros(n);
    const PairedDifference found = paired_difference(some, zeros);
    const auto [low, high] = interval_by_loops(some);
    EXPECT_NEAR(*found.low, low, 1e-12) << n;
    EXPECT_NEAR(*found.high, high, 1e-12) << n;
  }
}

TEST(PairedDifference, TwoOrThreePairsGiveTheirRange) {
  const PairedDifference two = paired_difference(std::vector{3.0, 5.0}, std::vector{1.0, 1.0});
  EXPECT_EQ(two.mean, 3);
  EXPECT_EQ(*two.low, 2);
  EXPECT_EQ(*two.high, 4);
  EXPECT_EQ(two.coverage, 0.5);
  EXPECT_EQ(two.above, 2);
  EXPECT_FALSE(two.interval_has_zero());
  const PairedDifference three = paired_difference(std::vector{3.0, 5.0, 0.0}, std::vector{1.0, 1.0, 1.0});
  EXPECT_EQ(*three.low, -1);
  EXPECT_EQ(*three.high, 4);
  EXPECT_EQ(three.coverage, 0.75);
  EXPECT_EQ(three.below, 1);
  EXPECT_TRUE(three.interval_has_zero());
}

TEST(PairedDifference, OnePairHasNoInterval) {
  const PairedDifference one = paired_difference(std::vector{3.0}, std::vector{1.0});
  EXPECT_EQ(one.pairs, 1);
  EXPECT_EQ(one.mean, 2);
  EXPECT_FALSE(one.low || one.high);
  EXPECT_EQ(paired_difference({}, {}).pairs, 0);
}

TEST(PairedDifference, EqualArmsDifferByNothing) {
  const std::vector<double> values = {3.5, 2.25, 1.125, 9};
  const PairedDifference same = paired_difference(values, values);
  EXPECT_EQ(same.mean, 0);
  EXPECT_EQ(*same.low, 0);
  EXPECT_EQ(*same.high, 0);
  EXPECT_EQ(same.above + same.below, 0);
}

TEST(PairedDifference, ManyPairsGiveTheIntervalOfTheNormalDistribution) {
  RandomStream random(1, "test");
  std::vector<double> ours, theirs;
  double sum = 0, squares = 0;
  constexpr int kPairs = 400;
  for (int i = 0; i < kPairs; ++i) {
    theirs.push_back(random.uniform());
    ours.push_back(theirs.back() + random.uniform());
    const double d = ours.back() - theirs.back();
    sum += d;
    squares += d * d;
  }
  const double mean = sum / kPairs, error = std::sqrt((squares / kPairs - mean * mean) / kPairs);
  const PairedDifference found = paired_difference(ours, theirs);
  EXPECT_NEAR(found.mean, mean, 1e-12);
  EXPECT_NEAR(*found.low, mean - 1.96 * error, 0.05 * error);
  EXPECT_NEAR(*found.high, mean + 1.96 * error, 0.05 * error);
}

// How often arms of one distribution are called different.
double share_called_different(int seeds, int trials, const std::function<double()>& draw) {
  int wrong = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> ours, theirs;
    for (int seed = 0; seed < seeds; ++seed) {
      ours.push_back(draw());
      theirs.push_back(draw());
    }
    wrong += !paired_difference(ours, theirs).interval_has_zero();
  }
  return static_cast<double>(wrong) / trials;
}

TEST(PairedDifference, TwoArmsOfOneDistributionAreSeldomCalledDifferent) {
  RandomStream random(2, "test");
  const double wrong = share_called_different(6, 1000, [&] { return random.uniform(); });
  EXPECT_LT(wrong, 0.1);  // six seeds: more often than 5 %, which is why the number of seeds is always said
  EXPECT_GT(wrong, 0.02);
}

TEST(PairedDifference, FewNormalDifferencesAreCoveredNearlyAsOftenAsPromised) {
  RandomStream random(3, "test");
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
  };
  // At 4, 5, 6 and 7 seeds: the range of four, 2^(1-4), and counts of 20,000 trials. Without expansion 0.20 to 0.13.
  const double expected[] = {0.125, 0.077, 0.066, 0.061};
  for (int seeds = 4; seeds <= 7; ++seeds) {
    EXPECT_NEAR(share_called_different(seeds, 1000, normal), expected[seeds - 4], 0.03) << seeds;
  }
}

TEST(CompareSentences, IsTheMetricsOwnBootstrapForOneSeed) {
  SeedOutputs outputs;
  SentenceStatistics ours, theirs;
  for (int i = 0; i < 60; ++i) {
    const bool right = i % 2 == 0, wrong = i % 3 == 0;
    outputs.references.push_back("line " + std::to_string(i));
    outputs.ours.push_back(right ? outputs.references.back() : "x");
    outputs.theirs.push_back(wrong ? outputs.references.back() : "y");
    ours.push_back({right ? 1.0 : 0.0, 1});
    theirs.push_back({wrong ? 1.0 : 0.0, 1});
  }
  const auto found = compare_sentences("exact", std::vector{outputs});
  const PairedBootstrap oracle =
      paired_bootstrap(ours, theirs, [](std::span<const double> sum) { return 100 * sum[0] / sum[1]; });
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->score, 50, 1e-9);
  EXPECT_NEAR(found->baseline, 100.0 / 3, 1e-9);
  EXPECT_NEAR(found->p_value, oracle.p_value, 1e-12);
  EXPECT_EQ(found->sentences, 60);
}

TEST(CompareSentences, SeedsOnTheSameSentencesAreDrawnTogetherOthersAreAdded) {
  const SeedOutputs one{{"a", "b"}, {"a", "x"}, {"a", "b"}}, other{{"c", "d", "e"}, {"c", "d", "e"}, {"c", "d", "e"}};
  EXPECT_EQ(compare_sentences("exact", std::vector{one, one, one})->sentences, 2);
  EXPECT_EQ(compare_sentences("exact", std::vector{one, one, one})->baseline, 50);
  EXPECT_EQ(compare_sentences("exact", std::vector{one, other})->sentences, 5);
  EXPECT_EQ(compare_sentences("exact", std::vector{one, other})->baseline, 80);
}

TEST(CompareSentences, EqualOutputsAreNotDifferent) {
  const SeedOutputs same{{"a", "x"}, {"a", "x"}, {"a", "b"}};
  EXPECT_EQ(compare_sentences("exact", std::vector{same})->p_value, 1);
}

TEST(CompareSentences, NeedsOneOutputForEachReference) {
  EXPECT_FALSE(compare_sentences("exact", std::vector{SeedOutputs{{"a"}, {"a", "b"}, {"a", "b"}}}));
  EXPECT_FALSE(compare_sentences("exact", {}));
}

}  // namespace
}  // namespace plumb::sweep
