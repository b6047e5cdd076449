#include "plumb/base/statistics.h"

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(StudentT, HasThePublishedQuantiles) {
  EXPECT_TRUE(std::isinf(student_t(0)));
  EXPECT_DOUBLE_EQ(student_t(1), 12.706);
  EXPECT_NEAR(student_t(30), 2.0423, 2e-3);
  EXPECT_NEAR(student_t(60), 2.0003, 2e-3);
  EXPECT_NEAR(student_t(1000), 1.9623, 1e-3);
}

TEST(Summary, OfKnownNumbers) {
  const Summary s = summarise(std::vector<double>{1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(s.mean, 2.5);
  EXPECT_NEAR(s.deviation, 1.290994, 1e-6);
  EXPECT_NEAR(s.high - s.mean, 3.182 * 1.290994 / 2, 1e-5);
  EXPECT_NEAR(s.mean - s.low, s.high - s.mean, 1e-12);
  EXPECT_TRUE(std::isinf(summarise(std::vector<double>{5}).high));
  EXPECT_THROW(summarise({}), std::invalid_argument);
}

// The interval holds the true mean in 95 of 100 samples.
TEST(Summary, KeepsItsPromise) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(7, 3);
  int held = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> values(5);
    for (double& value : values) value = normal(random);
    const Summary s = summarise(values);
    held += s.low <= 7 && 7 <= s.high;
  }
  EXPECT_NEAR(held / 2000.0, 0.95, 0.015);
}

TEST(Line, ThroughPointsOnALine) {
  const std::vector<double> x = {1, 2, 4}, y = {3, 5, 9};
  const Line line = fit_line(x, y);
  EXPECT_NEAR(line.intercept, 1, 1e-12);
  EXPECT_NEAR(line.slope, 2, 1e-12);
  EXPECT_NEAR(line.r2, 1, 1e-12);
  EXPECT_NEAR(line.slope_low, 2, 1e-6);
}

// Anscombe's first set: slope 0.500, intercept 3.00, R^2 0.67, standard error of the slope 0.118.
TEST(Line, ThroughAnscombesPoints) {
  const std::vector<double> x = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const std::vector<double> y = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  const Line line = fit_line(x, y);
  EXPECT_NEAR(line.slope, 0.5001, 1e-4);
  EXPECT_NEAR(line.intercept, 3.0001, 1e-4);
  EXPECT_NEAR(line.r2, 0.6665, 1e-4);
  EXPECT_NEAR(line.slope_high - line.slope, 2.262 * 0.1179, 1e-3);
}

TEST(Line, NeedsTwoDifferentPlaces) {
  EXPECT_THROW(fit_line(std::vector<double>{1}, std::vector<double>{1}), std::invalid_argument);
  EXPECT_THROW(fit_line(std::vector<double>{1, 1}, std::vector<double>{1, 2}), std::invalid_argument);
  EXPECT_TRUE(std::isinf(fit_line(std::vector<double>{1, 2}, std::vector<double>{1, 2}).slope_high));
}

}  // namespace
}  // namespace plumb
