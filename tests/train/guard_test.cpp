#include "plumb/train/guard.h"

#include <limits>

#include <gtest/gtest.h>

namespace plumb {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TrainConfig config() {
  TrainConfig train;
  train.nonfinite_steps = 3;
  train.band_window = 20;
  train.band_sigmas = 10;
  train.stuck_updates = 100;
  return train;
}

TEST(Guard, EndsARunAfterSoManyLostUpdatesInARow) {
  const TrainConfig train = config();
  Guard guard(train, 3);
  std::string reason;
  EXPECT_TRUE(guard.healthy(1, kNan, false, reason));
  EXPECT_TRUE(guard.healthy(2, kNan, false, reason));
  EXPECT_TRUE(guard.healthy(3, 2.0, true, reason));  // one good update starts the count again
  EXPECT_TRUE(guard.healthy(4, kNan, false, reason));
  EXPECT_TRUE(guard.healthy(5, kNan, false, reason));
  EXPECT_FALSE(guard.healthy(6, kNan, false, reason));
  EXPECT_NE(reason.find("3 updates in a row"), std::string::npos);
}

TEST(Guard, EndsARunWhoseLossLeavesItsBand) {
  const TrainConfig train = config();
  Guard guard(train, 3);
  std::string reason;
  for (int64_t update = 1; update <= 50; ++update) {
    ASSERT_TRUE(guard.healthy(update, 2 + 0.01 * static_cast<double>(update % 5), true, reason)) << update;
  }
  EXPECT_TRUE(guard.healthy(51, 2.1, true, reason));
  int64_t update = 52;
  while (update < 100 && guard.healthy(update, 9.0, true, reason)) ++update;
  EXPECT_LT(update, 52 + 12);
  EXPECT_NE(reason.find("jumped to 8.99"), std::string::npos) << reason;
  EXPECT_NE(reason.find("a running mean of 2.02"), std::string::npos) << reason;  // none of the nines is in it
}

TEST(Guard, LetsALossNearZeroStumble) {
  const TrainConfig train = config();
  Guard guard(train, /*unigram_entropy=*/5);
  std::string reason;
  for (int64_t update = 1; update <= 100; ++update) EXPECT_TRUE(guard.healthy(update, 1e-4, true, reason));
  for (int64_t update = 101; update <= 200; ++update) {
    EXPECT_TRUE(guard.healthy(update, 0.4, true, reason)) << reason;  // thousands of deviations, but nothing
  }
  int64_t update = 201;
  while (update < 300 && guard.healthy(update, 5, true, reason)) ++update;
  EXPECT_LT(update, 201 + 12);
}

TEST(Guard, LetsALossFallAsFastAsItLikes) {
  const TrainConfig train = config();
  Guard guard(train, 3);
  std::string reason;
  for (int64_t update = 1; update <= 300; ++update) {
    ASSERT_TRUE(guard.healthy(update, 9.0 / static_cast<double>(update), true, reason));
  }
}

// No single loss jumps: the mean goes with them.
TEST(Guard, EndsARunWhoseLossGrowsAway) {
  const TrainConfig train = config();
  Guard guard(train, 3);
  std::string reason;
  int64_t update = 1;
  double loss = 4;
  while (update < 500 && guard.healthy(update, loss, true, reason)) {
    loss *= 1.02;
    ++update;
  }
  EXPECT_LT(update, 80);
  EXPECT_GT(loss, 9);
  EXPECT_NE(reason.find("4.000 that it began with"), std::string::npos) << reason;
}

TEST(Guard, LetsARunBeginWithALargeLoss) {
  const TrainConfig train = config();
  Guard guard(train, 3);
  std::string reason;
  for (int64_t update = 1; update <= 300; ++update) ASSERT_TRUE(guard.healthy(update, 30, true, reason)) << reason;
  EXPECT_TRUE(guard.near(300, 31, reason));
}

TEST(Guard, AShortRunHasDivergedIfItEndsFarOff) {
  TrainConfig train = config();
  train.max_update = 10;
  std::string reason;
  Guard guard(train, 3);
  for (int64_t update = 1; update <= 10; ++update) guard.healthy(update, update == 1 ? 4 : 200, true, reason);
  EXPECT_TRUE(guard.near(5, 250, reason));  // it may still come back
  EXPECT_FALSE(guard.near(10, 250, reason));
  EXPECT_NE(reason.find("250.000"), std::string::npos);
  Guard overfitted(train, 3);
  for (int64_t update = 1; update <= 10; ++update) overfitted.healthy(update, 0.1, true, reason);
  EXPECT_TRUE(overfitted.near(10, 250, reason));
}

TEST(Guard, CallsARunStuckThatStaysNearTheUnigramEntropy) {
  const TrainConfig train = config();
  Guard guard(train, 3);
  std::string reason;
  EXPECT_TRUE(guard.learning(50, 2.9, reason));  // too early to say
  EXPECT_FALSE(guard.learning(100, 2.8, reason));
  EXPECT_NE(reason.find("unigram entropy of 3.000"), std::string::npos);
  Guard better(train, 3);
  EXPECT_TRUE(better.learning(50, 2.6, reason));
  EXPECT_TRUE(better.learning(100, 2.9, reason));  // it was below once
}

TEST(Guard, GoesOnFromItsState) {
  const TrainConfig train = config();
  Guard first(train, 3), second(train, 3);
  std::string reason;
  for (int64_t update = 1; update <= 30; ++update)
    first.healthy(update, 2.0 + 0.01 * static_cast<double>(update % 3), true, reason);
  for (int64_t update = 31; update <= 36; ++update) EXPECT_TRUE(first.healthy(update, 9.0, true, reason));
  first.learning(36, 2, reason);
  second.load(nlohmann::json::parse(first.state().dump()));
  EXPECT_EQ(first.state(), second.state());
  int64_t update = 37;
  while (update < 60 && first.healthy(update, 9.0, true, reason)) {
    EXPECT_TRUE(second.healthy(update, 9.0, true, reason)) << update;
    EXPECT_EQ(first.state(), second.state()) << update;
    ++update;
  }
  EXPECT_LT(update, 60);
  EXPECT_FALSE(second.healthy(update, 9.0, true, reason));
}

// As older versions wrote it.
TEST(Guard, GoesOnFromAnOldState) {
  const TrainConfig train = config();
  std::string reason;
  Guard guard(train, 3);
  guard.load({{"lost_in_a_row", 1}, {"seen", 500}, {"mean", 1.0}, {"variance", 0.01}, {"first", 4.0}});
  for (int64_t update = 501; update <= 600; ++update) ASSERT_TRUE(guard.healthy(update, 1.0, true, reason)) << reason;
  int64_t update = 601;
  while (update < 700 && guard.healthy(update, 3.1, true, reason)) ++update;
  EXPECT_LT(update, 601 + 25);
}

}  // namespace
}  // namespace plumb
