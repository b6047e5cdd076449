#include "plumb/report/thinned_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace plumb::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

Series noise(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> value(0, 2);
  Series series;
  for (size_t i = 0; i < count; ++i) {
    series.x.push_back(static_cast<double>(7 * i + 3));
    series.y.push_back(value(random));
  }
  return series;
}

TEST(ThinnedSeries, AShortCurveStaysAsItIs) {
  const Series series = noise(1000, 1);
  const ThinnedSeries result = thinned(series, 1000);
  EXPECT_EQ(result.x, series.x);
  EXPECT_EQ(result.y, series.y);
  EXPECT_FALSE(result.is_thinned());
}

TEST(ThinnedSeries, KeepsEndsExtremesAndOrderAndInventsNothing) {
  for (const size_t count : {1001u, 2000u, 9999u, 10000u, 123457u}) {
    const Series series = noise(count, count);
    const ThinnedSeries result = thinned(series, 1000);
    EXPECT_LE(result.x.size(), 1000u);
    EXPECT_GE(result.x.size(), 900u) << "most of the room is used";
    EXPECT_EQ(result.logged, count);
    EXPECT_TRUE(result.is_thinned());
    EXPECT_EQ(result.x.front(), series.x.front());
    EXPECT_EQ(result.x.back(), series.x.back());
    EXPECT_EQ(std::ranges::max(result.y), std::ranges::max(series.y));
    EXPECT_EQ(std::ranges::min(result.y), std::ranges::min(series.y));
    EXPECT_TRUE(std::ranges::is_sorted(result.x));
    EXPECT_EQ(std::ranges::adjacent_find(result.x), result.x.end()) << "no point stands there twice";
    for (size_t i = 0; i < result.x.size(); ++i) {
      const auto place = static_cast<size_t>((result.x[i] - 3) / 7);
      ASSERT_EQ(result.y[i], series.y[place]);
    }
  }
}

TEST(ThinnedSeries, TheMeansAreOfAllValues) {
  const Series series = noise(12345, 8);
  const ThinnedSeries result = thinned(series, 1000);
  size_t done = 0;
  for (const auto& mean : result.means) {
    double sum = 0;
    for (size_t i = done; i < done + mean.count; ++i) sum += series.y[i];
    done += mean.count;
    EXPECT_NEAR(mean.value, sum / static_cast<double>(mean.count), 1e-9 * std::abs(sum));
    EXPECT_EQ(mean.x, series.x[done - 1]);
  }
  EXPECT_EQ(done, series.x.size()) << "each value is in one of them";
  EXPECT_EQ(result.means.size(), 501u);
  EXPECT_TRUE(thinned(series, 20000).means.empty());
  const ThinnedSeries large = thinned({{1, 2, 3, 4, 5, 6}, {1e308, 1e308, 1e308, 1e308, 1e308, 1e308}}, 4);
  EXPECT_EQ(large.means[1].value, 1e308);
}

// Of any stretch of the curve that is longer than two buckets the extremes are there, not only of the whole.
TEST(ThinnedSeries, ASpikeAnywhereSurvives) {
  for (const size_t spike : {1u, 17u, 4999u, 5000u, 9998u}) {
    for (const double height : {100.0, -100.0}) {
      Series series = noise(10000, 3);
      for (double& y : series.y) y = 1 + 1e-3 * y / (1 + y);
      series.y[spike] = height;
      const ThinnedSeries result = thinned(series, 100);
      EXPECT_EQ(std::ranges::count(result.y, height), 1) << spike;
    }
  }
}

TEST(ThinnedSeries, WhatIsNotFiniteIsAGapAndNeverAPoint) {
  const Series series{{1, 2, 3, 4, 5, 6, 7}, {0.5, kNaN, kNaN, 0.25, -kInfinity, 0.125, kInfinity}};
  const ThinnedSeries result = thinned(series, 100);
  EXPECT_EQ(result.x, (std::vector<double>{1, 4, 6}));
  ASSERT_EQ(result.gaps.size(), 3u);
  EXPECT_EQ(result.gaps[0].from, 2);
  EXPECT_EQ(result.gaps[0].to, 3);
  EXPECT_EQ(result.gaps[0].count, 2u);
  EXPECT_TRUE(std::isnan(result.gaps[0].value));
  EXPECT_EQ(result.gaps[1].value, -kInfinity);
  EXPECT_EQ(result.gaps[2].from, 7);
  EXPECT_EQ(result.logged, 3u);
}

TEST(ThinnedSeries, NoNonfiniteValueIsForgottenWhereThereAreThousands) {
  Series series = noise(10000, 5);
  for (size_t i = 1; i < series.y.size(); i += 2) series.y[i] = kNaN;
  const ThinnedSeries result = thinned(series, 1000);
  EXPECT_LE(result.gaps.size(), kMostGaps);
  size_t count = 0;
  for (const auto& gap : result.gaps) count += gap.count;
  EXPECT_EQ(count, 5000u);
  EXPECT_EQ(result.gaps.front().from, series.x[1]);
  EXPECT_EQ(result.gaps.back().to, series.x[9999]);
}

TEST(ThinnedSeries, NothingAndNothingFinite) {
  EXPECT_TRUE(thinned({}, 10).x.empty());
  const ThinnedSeries result = thinned({{1, 2}, {kNaN, kNaN}}, 10);
  EXPECT_TRUE(result.x.empty());
  EXPECT_EQ(result.gaps.size(), 1u);
}

}  // namespace
}  // namespace plumb::report
