#include "plumb/optim/clip.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "optim/support/sample.h"

namespace plumb {
namespace {

using namespace test;

TEST(GradientNorm, OfThreeAndFourIsFive) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    at::Tensor flat = at::zeros({1000}, dtype);
    EXPECT_EQ(gradient_norm(flat), 0);
    flat[17] = -3;
    flat[999] = 4;
    EXPECT_EQ(gradient_norm(flat), 5);
  }
  EXPECT_EQ(gradient_norm(at::empty({0}, at::kFloat)), 0);
}

TEST(GradientNorm, IsTheRootOfTheSumOfSquaresForEveryLength) {
  for (const int64_t length : {1, 7, 8, 9, 16383, 16384, 16385, 50'000}) {
    // 1 + 4 + ... + n^2 = n (n + 1) (2n + 1) / 6
    const auto n = static_cast<double>(length);
    const double norm = gradient_norm(at::arange(1, length + 1, at::kDouble));
    EXPECT_NEAR(norm, std::sqrt(n * (n + 1) * (2 * n + 1) / 6), 1e-13 * norm) << length;
  }
}

TEST(GradientNorm, AddsSmallNumbersThatSinglePrecisionWouldLose) {
  at::Tensor flat = at::full({1'000'001}, 1e-4, at::kFloat);
  flat[0] = 1000;  // its square is 1e6; each of the others adds 1e-8, all of them 0.01
  const double small = static_cast<double>(1e-4F);
  EXPECT_NEAR(gradient_norm(flat), std::sqrt(1e6 + 1e6 * small * small), 1e-12 * 1000);
}

TEST(GradientNorm, HasTheSameBitsForAnyNumberOfThreads) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    Sample s(dtype, 30'001);
    s.set_gradients(1);
    std::vector<double> norms;
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      norms.push_back(gradient_norm(s.store.gradients()));
    }
    at::set_num_threads(1);
    EXPECT_EQ(norms[0], norms[1]);
    EXPECT_EQ(norms[0], norms[2]);
    EXPECT_GT(norms[0], 0);
  }
}

TEST(GradientNorm, IsFiniteExactlyIfEveryElementIs) {
  at::Tensor flat = at::full({20'000}, std::numeric_limits<float>::max(), at::kFloat);
  EXPECT_TRUE(std::isfinite(gradient_norm(flat)));
  flat[19'999] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(gradient_norm(flat), std::numeric_limits<double>::infinity());
  flat[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(gradient_norm(flat)));
}

TEST(GradientNorm, RefusesWhatIsNotAFlatBuffer) {
  EXPECT_THROW(gradient_norm(at::ones({4, 4}).t().slice(0, 0, 4, 2)), c10::Error);
  EXPECT_THROW(gradient_norm(at::ones({4}, at::kLong)), c10::Error);
}

TEST(ClipFactor, ShrinksWhatIsLonger) {
  EXPECT_DOUBLE_EQ(clip_factor(5, 0.5), 0.5 / (5 + 1e-6));
  // At exactly the limit the 1e-6 of the formula shrinks a little, as torch's does.
  EXPECT_DOUBLE_EQ(clip_factor(5, 5), 5 / 5.000001);
}

TEST(ClipFactor, LeavesWhatIsShortEnough) {
  EXPECT_EQ(clip_factor(5, 5.1), 1);
  EXPECT_EQ(clip_factor(0, 5.1), 1);
}

TEST(ClipFactor, DoesNothingForALimitOfZero) {
  EXPECT_EQ(clip_factor(1e7, 0), 1);
}

TEST(ClipFactor, LeavesNumbersThatAreNotFiniteForTheTrainerToSee) {
  EXPECT_EQ(clip_factor(std::numeric_limits<double>::infinity(), 1), 1);
  EXPECT_EQ(clip_factor(std::numeric_limits<double>::quiet_NaN(), 1), 1);
}

}  // namespace
}  // namespace plumb
