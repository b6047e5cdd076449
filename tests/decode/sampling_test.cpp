#include "plumb/decode/sampling.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

const std::vector<double> kLogP = {std::log(0.5), std::log(0.3), std::log(0.15), std::log(0.05),
                                   -std::numeric_limits<double>::infinity()};

std::vector<double> frequencies(double temperature, int64_t top_k, double top_p) {
  constexpr int kDraws = 40000;
  RandomStream random(1, "test");
  std::vector<double> counts(kLogP.size());
  for (int i = 0; i < kDraws; ++i) {
    counts[static_cast<size_t>(draw_token(kLogP, temperature, top_k, top_p, random))] += 1.0 / kDraws;
  }
  return counts;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 0.012) << i;
}

TEST(Sampling, FollowsTheDistribution) {
  expect_near(frequencies(1, 0, 1), {0.5, 0.3, 0.15, 0.05, 0});
}

TEST(Sampling, SurvivesNumbersThatAreNoDistribution) {
  RandomStream random(1, "test");
  const std::vector<double> broken(5, std::numeric_limits<double>::quiet_NaN());
  const int32_t token = draw_token(broken, 1, 0, 1, random);
  EXPECT_GE(token, 0);
  EXPECT_LT(token, 5);
}

TEST(Sampling, OfTheKLikeliestLeavesOutTheRest) {
  expect_near(frequencies(1, 2, 1), {0.625, 0.375, 0, 0, 0});
}

TEST(Sampling, OfTheMassPKeepsTheSmallestSetThatHoldsIt) {
  expect_near(frequencies(1, 0, 0.6), {0.625, 0.375, 0, 0, 0});
  expect_near(frequencies(1, 0, 0.4), {1, 0, 0, 0, 0});
}

TEST(Sampling, AtALowTemperatureTakesTheLikeliest) {
  expect_near(frequencies(0.01, 0, 1), {1, 0, 0, 0, 0});
}

TEST(Sampling, AtAHighTemperatureIsUniformOverWhatIsAllowed) {
  expect_near(frequencies(1000, 0, 1), {0.25, 0.25, 0.25, 0.25, 0});
}

}  // namespace
}  // namespace plumb
