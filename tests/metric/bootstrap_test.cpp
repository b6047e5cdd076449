#include "plumb/metric/bootstrap.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "plumb/base/random_stream.h"
#include "plumb/metric/bleu.h"
#include "plumb/metric/measure.h"

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

double share(std::span<const double> sum) {
  return 100 * sum[1] / sum[0];
}

/// `right` of `lines` lines are right, the first ones.
SentenceStatistics right_lines(size_t right, size_t lines) {
  SentenceStatistics rows;
  for (size_t i = 0; i < lines; ++i) rows.push_back({1, i < right ? 1.0 : 0.0});
  return rows;
}

// The number of right lines in a resample is binomial: its mean and deviation are known.
TEST(Bootstrap, HasTheMeanAndIntervalOfTheBinomialDistribution) {
  const size_t lines = 400;
  const double p = 0.7, deviation = 100 * std::sqrt(p * (1 - p) / static_cast<double>(lines));
  BootstrapOptions options;
  options.resamples = 4000;
  const auto rows = right_lines(280, lines);
  const Resampled one = paired_bootstrap(rows, rows, share, options).system;
  EXPECT_NEAR(one.score, 70, kTolerance);
  EXPECT_NEAR(one.mean, 70, 5 * deviation / std::sqrt(4000.));
  EXPECT_NEAR(one.low, 70 - 1.96 * deviation, 0.4);
  EXPECT_NEAR(one.high, 70 + 1.96 * deviation, 0.4);
}

// Everything once more in plain loops: the texts themselves are drawn, and BLEU is computed from them.
TEST(Bootstrap, OfBleuEqualsBleuOfResampledTexts) {
  const Lines system = golden_hypotheses();
  Lines baseline = system;
  for (size_t i = 0; i < baseline.size(); i += 3) baseline[i] += " indeed";
  const std::vector<Lines> references = golden_references();
  const Measure measure = make_measure("bleu");
  SentenceStatistics rows[2];
  for (size_t i = 0; i < system.size(); ++i) {
    rows[0].push_back(measure.count(system[i], references[i]));
    rows[1].push_back(measure.count(baseline[i], references[i]));
  }
  BootstrapOptions options;
  options.resamples = 50;
  options.seed = 7;
  const auto found = paired_bootstrap(
      rows[0], rows[1], [&](std::span<const double> sum) { return measure.score(sum).value; }, options);

  RandomStream random(7, "bootstrap");
  std::vector<double> scores[2], differences;
  for (int sample = 0; sample < 50; ++sample) {
    Lines drawn[2];
    std::vector<Lines> drawn_references;
    for (size_t i = 0; i < system.size(); ++i) {
      const size_t at = random.below(system.size());
      drawn[0].push_back(system[at]);
      drawn[1].push_back(baseline[at]);
      drawn_references.push_back(references[at]);
    }
    for (int k : {0, 1}) scores[k].push_back(corpus_bleu(drawn[k], drawn_references).score);
    differences.push_back(std::abs(scores[0].back() - scores[1].back()));
  }
  double mean = 0, mean_difference = 0;
  for (const double score : scores[0]) mean += score / 50;
  for (const double difference : differences) mean_difference += difference / 50;
  const double real = std::abs(corpus_bleu(system, references).score - corpus_bleu(baseline, references).score);
  const auto beyond = std::ranges::count_if(differences, [&](double d) { return d - mean_difference >= real; });
  std::ranges::sort(scores[0]);
  EXPECT_NEAR(found.system.mean, mean, kTolerance);
  EXPECT_NEAR(found.system.low, scores[0][1], kTolerance) << "50 / 40 = 1 score lies below";
  EXPECT_NEAR(found.system.high, scores[0][48], kTolerance);
  EXPECT_NEAR(found.system.score - found.baseline.score, corpus_bleu(system, references).score - found.baseline.score,
              kTolerance);
  EXPECT_NEAR(found.p_value, static_cast<double>(beyond + 1) / 51, kTolerance);
}

TEST(Bootstrap, FindsNoDifferenceBetweenASystemAndItself) {
  const auto rows = right_lines(30, 100);
  EXPECT_EQ(paired_bootstrap(rows, rows, share).p_value, 1);
}

TEST(Bootstrap, FindsALargeDifferenceSignificantAndASmallOneNot) {
  const auto better = right_lines(180, 200), worse = right_lines(120, 200), same = right_lines(179, 200);
  EXPECT_NEAR(paired_bootstrap(better, worse, share).p_value, 1 / 1001., kTolerance);
  EXPECT_GT(paired_bootstrap(better, same, share).p_value, 0.05);
}

TEST(Bootstrap, RepeatsItselfAndDependsOnTheSeed) {
  const auto a = right_lines(30, 100), b = right_lines(40, 100);
  BootstrapOptions other;
  other.seed = 1;
  const auto first = paired_bootstrap(a, b, share), again = paired_bootstrap(a, b, share);
  EXPECT_EQ(first.system.mean, again.system.mean);
  EXPECT_EQ(first.p_value, again.p_value);
  EXPECT_NE(first.system.mean, paired_bootstrap(a, b, share, other).system.mean);
  EXPECT_EQ(bootstrap_settings(), "bs:1000|seed:12345");
}

// rouge/scoring_test.py of google-research: three lines with 1/2, 0 and 1 have means of sixths; 95 % are between 0
// and 1.
TEST(Bootstrap, GivesEachOfSeveralScoresItsInterval) {
  const SentenceStatistics rows = {{1, 0.5, 3}, {1, 0, 3}, {1, 1, 3}};
  const auto means = [](std::span<const double> sum) { return std::vector{sum[1] / sum[0], sum[2] / sum[0]}; };
  const std::vector<Resampled> both = bootstrap(rows, means);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NEAR(both[0].score, 0.5, kTolerance);
  EXPECT_NEAR(both[0].mean, 0.5, 0.04);
  EXPECT_NEAR(both[0].low, 0, kTolerance);  // 1 of 27 draws is three times the 0, more than 2.5 %
  EXPECT_NEAR(both[0].high, 1, kTolerance);
  for (const double value : {both[1].score, both[1].mean, both[1].low, both[1].high}) EXPECT_NEAR(value, 3, kTolerance);
}

// The same draws serve both: the interval of a system does not depend on whether it has a baseline.
TEST(Bootstrap, OfOneSystemIsTheOneOfThePair) {
  const auto rows = right_lines(30, 100);
  const auto one = bootstrap(rows, [](std::span<const double> sum) { return std::vector{share(sum)}; }).front();
  const Resampled pair = paired_bootstrap(rows, right_lines(50, 100), share).system;
  EXPECT_EQ(one.score, pair.score);
  EXPECT_EQ(one.mean, pair.mean);
  EXPECT_EQ(one.low, pair.low);
  EXPECT_EQ(one.high, pair.high);
}

// Errors per word: a draw of the blank line alone has no words to divide by.
TEST(Bootstrap, DrawsAgainWhereThereIsNoScore) {
  const SentenceStatistics rows = {{1, 4}, {1, 0}};
  const auto rate = [](std::span<const double> sum) { return std::vector{sum[0] / sum[1]}; };
  const Resampled one = bootstrap(rows, rate).front();
  EXPECT_EQ(one.low, 0.25);  // 2 errors in 8 words
  EXPECT_EQ(one.high, 0.5);
  EXPECT_NEAR(one.mean, (0.25 + 2 * 0.5) / 3, 0.02);
  const auto first = [&](std::span<const double> sum) { return rate(sum).front(); };
  EXPECT_NEAR(paired_bootstrap(rows, rows, first).system.mean, (0.25 + 2 * 0.5) / 3, 0.02);
}

TEST(Bootstrap, RefusesDifferentNumbersOfSentences) {
  EXPECT_THROW(paired_bootstrap(right_lines(1, 2), right_lines(1, 3), share), std::invalid_argument);
  EXPECT_THROW(paired_bootstrap({}, {}, share), std::invalid_argument);
  const auto shares = [](std::span<const double> sum) { return std::vector{share(sum)}; };
  EXPECT_THROW(bootstrap({}, shares), std::invalid_argument);
  EXPECT_THROW(bootstrap({{0, 1}}, shares), std::invalid_argument) << "no score of the real test set";
}

}  // namespace
}  // namespace plumb::test
