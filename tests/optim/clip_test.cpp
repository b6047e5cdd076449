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

using namespace testing_optim;

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

TEST(ClipGradients, ShrinksWhatIsLongerAndReturnsTheNormBefore) {
  at::Tensor flat = at::zeros({100}, at::kDouble);
  flat[1] = 3;
  flat[2] = 4;
  EXPECT_EQ(clip_gradients(flat, 0.5), 5);
  const double factor = 0.5 / (5 + 1e-6);
  EXPECT_DOUBLE_EQ(flat[1].item<double>(), 3 * factor);
  EXPECT_DOUBLE_EQ(flat[2].item<double>(), 4 * factor);
  EXPECT_EQ(flat.abs().sum().item<double>(), flat[1].item<double>() + flat[2].item<double>());
}

TEST(ClipGradients, LeavesWhatIsShortEnough) {
  at::Tensor flat = at::zeros({100}, at::kFloat);
  flat[1] = 3;
  flat[2] = 4;
  const at::Tensor before = flat.clone();
  EXPECT_EQ(clip_gradients(flat, 5.1), 5);
  EXPECT_TRUE(at::equal(flat, before));
  // At exactly the limit the 1e-6 of the formula shrinks a little, as torch's does.
  EXPECT_EQ(clip_gradients(flat, 5), 5);
  EXPECT_NEAR(flat[1].item<double>(), 3 * 5 / 5.000001, 1e-6);
}

TEST(ClipGradients, DoesNothingForALimitOfZero) {
  at::Tensor flat = at::full({100}, 1e6, at::kFloat);
  EXPECT_EQ(clip_gradients(flat, 0), 1e7);
  EXPECT_TRUE(at::equal(flat, at::full({100}, 1e6, at::kFloat)));
}

TEST(ClipGradients, LeavesNumbersThatAreNotFiniteForTheTrainerToSee) {
  at::Tensor flat = at::ones({100}, at::kFloat);
  flat[5] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(clip_gradients(flat, 1)));
  EXPECT_EQ(flat[0].item<double>(), 1);
  EXPECT_EQ(flat.isnan().sum().item<int64_t>(), 0);
}

TEST(ClipGradients, KeepsTheGapsOfAStoreAtZero) {
  Sample s;
  s.set_gradients(1);
  EXPECT_GT(clip_gradients(s.store.gradients(), 1e-3), 1e-3);
  EXPECT_NEAR(gradient_norm(s.store.gradients()), 1e-3, 1e-8);
  EXPECT_EQ(s.in_gaps(s.store.gradients()), 0);
}

}  // namespace
}  // namespace plumb
