#include "plumb/optim/schedule.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/schedules.h"

namespace plumb {
namespace {

constexpr double kLr = 5e-4;

double rate(const ScheduleConfig& schedule, int64_t update, double epoch = 0) {
  return learning_rate(schedule, kLr, update, epoch);
}

ScheduleConfig with(const char* name, int64_t warmup) {
  ScheduleConfig schedule;
  schedule.name = name;
  schedule.warmup_updates = warmup;
  schedule.total_updates = 20'000;
  schedule.step_updates = {30'000};
  return schedule;
}

class EverySchedule : public testing::TestWithParam<ScheduleRow> {};

INSTANTIATE_TEST_SUITE_P(Table, EverySchedule, testing::ValuesIn(schedules().begin(), schedules().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EverySchedule, WarmsUpOnAStraightLineFromTheFirstRateToLr) {
  for (const int64_t W : {1, 2, 500, 4000, 8000}) {
    const ScheduleConfig schedule = with(GetParam().name.data(), W);
    EXPECT_DOUBLE_EQ(rate(schedule, 0), 1e-7) << W;
    EXPECT_DOUBLE_EQ(rate(schedule, W / 2), 1e-7 + static_cast<double>(W / 2) * (5e-4 - 1e-7) / static_cast<double>(W));
    EXPECT_DOUBLE_EQ(rate(schedule, W), 5e-4) << W;
    EXPECT_LT(rate(schedule, W - 1), 5e-4) << W;
  }
}

TEST_P(EverySchedule, StartsAtLrWithoutAWarmUp) {
  EXPECT_DOUBLE_EQ(rate(with(GetParam().name.data(), 0), 0), 5e-4);
}

TEST_P(EverySchedule, NeverRisesAfterTheWarmUpNorFallsBelowTheFloor) {
  for (const int64_t W : {0, 1, 100, 5000}) {
    ScheduleConfig schedule = with(GetParam().name.data(), W);
    schedule.min_lr = 1e-4;
    double last = 5e-4;
    for (int64_t k = W; k < 200'000; k += 97) {
      const double now = rate(schedule, k, static_cast<double>(k) / 1000);
      EXPECT_LE(now, last * (1 + 1e-15)) << W << " " << k;
      EXPECT_GE(now, 1e-4) << W << " " << k;
      last = now;
    }
  }
}

TEST_P(EverySchedule, TakesTheWarmUpOfItsRowWhereNoneIsGiven) {
  ScheduleConfig schedule = with(GetParam().name.data(), 0);
  schedule.warmup_updates.reset();
  const int64_t W = GetParam().warmup_updates;
  EXPECT_EQ(complete_schedule(schedule, 0).warmup_updates, W);
  for (const int64_t k : {0, 1, 3999, 4000, 9000}) {
    EXPECT_EQ(rate(schedule, k), rate(with(GetParam().name.data(), W), k)) << k;
  }
}

TEST(Schedule, ConstantStays) {
  EXPECT_EQ(rate(with("constant", 10), 1'000'000'000, 1e6), 5e-4);
}

TEST(Schedule, InverseSqrtIsFairseqs) {
  const ScheduleConfig schedule = with("inverse_sqrt", 4000);
  EXPECT_DOUBLE_EQ(rate(schedule, 1000), 1e-7 + 1000 * (5e-4 - 1e-7) / 4000);
  EXPECT_DOUBLE_EQ(rate(schedule, 3999), 1e-7 + 3999 * (5e-4 - 1e-7) / 4000);
  EXPECT_DOUBLE_EQ(rate(schedule, 4001), 5e-4 * std::sqrt(4000.0) / std::sqrt(4001.0));
  EXPECT_DOUBLE_EQ(rate(schedule, 16'000), 2.5e-4);
  EXPECT_DOUBLE_EQ(rate(schedule, 400'000), 5e-5);
}

// The pitfall: a warm-up of one update is no warm-up, but also a decay that begins at once.
TEST(Schedule, InverseSqrtWithAWarmUpOfOneCollapses) {
  EXPECT_NEAR(rate(with("inverse_sqrt", 1), 4000), 5e-4 / 63.2456, 1e-11);
  EXPECT_DOUBLE_EQ(rate(with("inverse_sqrt", 1), 100), 5e-5);
}

TEST(Schedule, InverseSqrtWithoutAWarmUpDecaysAsWithOneUpdate) {
  const ScheduleConfig none = with("inverse_sqrt", 0), one = with("inverse_sqrt", 1);
  EXPECT_EQ(rate(none, 0), 5e-4);
  for (const int64_t k : {1, 2, 3, 100, 4000}) EXPECT_EQ(rate(none, k), rate(one, k)) << k;
}

TEST(Schedule, InverseSqrtTailDecaysAlikeWhateverTheWarmUp) {
  for (const int64_t W : {0, 1, 500, 4000}) {
    const ScheduleConfig schedule = with("inverse_sqrt_tail", W);
    EXPECT_EQ(rate(schedule, 4000), 5e-4) << W;
    EXPECT_DOUBLE_EQ(rate(schedule, 16'000), 2.5e-4) << W;
    EXPECT_EQ(rate(schedule, 3999) == 5e-4, W < 4000) << W;
  }
}

TEST(Schedule, InverseSqrtTailIsInverseSqrtFromAWarmUpAsLongAsTheTail) {
  for (const int64_t W : {4000, 10'000}) {
    for (const int64_t k : {0, 3999, 4000, 9999, 10'000, 10'001, 50'000}) {
      EXPECT_DOUBLE_EQ(rate(with("inverse_sqrt_tail", W), k), rate(with("inverse_sqrt", W), k)) << W << " " << k;
    }
  }
}

TEST(Schedule, InverseSqrtNowarmupIsThatOfTFixup) {
  ScheduleConfig schedule;
  schedule.name = "inverse_sqrt_nowarmup";
  EXPECT_EQ(rate(schedule, 0), 5e-4);
  EXPECT_DOUBLE_EQ(rate(schedule, 4000), 5e-4 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(rate(schedule, 12'000), 2.5e-4);
  schedule.period = 100;
  EXPECT_DOUBLE_EQ(rate(schedule, 800), 5e-4 / 3);
  schedule.warmup_updates = 50;  // the same decay, 50 updates later
  EXPECT_DOUBLE_EQ(rate(schedule, 850), 5e-4 / 3);
}

TEST(Schedule, LinearPolynomialAndCosineEndAtTheFloor) {
  ScheduleConfig linear = with("linear", 1000), poly = with("polynomial", 1000), cosine = with("cosine", 1000);
  for (ScheduleConfig* one : {&linear, &poly, &cosine}) {
    one->total_updates = 5000;
    one->min_lr = 1e-4;
    one->power = 2;
    EXPECT_DOUBLE_EQ(rate(*one, 1000), 5e-4) << one->name;
    EXPECT_LT(rate(*one, 1001), 5e-4) << one->name;
    EXPECT_GT(rate(*one, 4999), 1e-4) << one->name;
    EXPECT_DOUBLE_EQ(rate(*one, 5000), 1e-4) << one->name;
    EXPECT_DOUBLE_EQ(rate(*one, 5001), 1e-4) << one->name;
    EXPECT_DOUBLE_EQ(rate(*one, 1'000'000), 1e-4) << one->name;
  }
  // A quarter, a half and three quarters of the way down from 5e-4 to 1e-4.
  EXPECT_DOUBLE_EQ(rate(linear, 2000), 4e-4);
  EXPECT_DOUBLE_EQ(rate(linear, 3000), 3e-4);
  EXPECT_DOUBLE_EQ(rate(poly, 2000), 1e-4 + 4e-4 * 9 / 16);
  EXPECT_DOUBLE_EQ(rate(poly, 3000), 2e-4);
  EXPECT_DOUBLE_EQ(rate(cosine, 2000), 1e-4 + 4e-4 * (1 + std::sqrt(0.5)) / 2);
  EXPECT_DOUBLE_EQ(rate(cosine, 3000), 3e-4);
  EXPECT_DOUBLE_EQ(rate(cosine, 4000), 1e-4 + 4e-4 * (1 - std::sqrt(0.5)) / 2);
  poly.power = 1;
  for (const int64_t k : {1000, 1777, 4999}) EXPECT_DOUBLE_EQ(rate(poly, k), rate(linear, k));
}

// Liu et al.: 100k updates, "warm-up" of one update.
TEST(Schedule, LinearOfTheGridWithoutWarmUp) {
  ScheduleConfig schedule = with("linear", 1);
  schedule.total_updates = 100'000;
  EXPECT_DOUBLE_EQ(rate(schedule, 0), 1e-7);
  EXPECT_DOUBLE_EQ(rate(schedule, 1), 5e-4);
  EXPECT_NEAR(rate(schedule, 50'000), 2.5e-4, 1e-8);
}

TEST(Schedule, AnEndWithinTheWarmUpIsTheFloorAfterIt) {
  ScheduleConfig schedule = with("cosine", 1000);
  schedule.total_updates = 500;
  EXPECT_LT(rate(schedule, 999), 5e-4);
  EXPECT_EQ(rate(schedule, 1000), 0);
}

// Xiong et al.: lr 5e-4, times 0.1 at epoch 8.
TEST(Schedule, StepFallsAtEpochs) {
  ScheduleConfig schedule = with("step", 0);
  schedule.step_updates = {};
  schedule.step_epochs = {8, 12};
  EXPECT_EQ(rate(schedule, 70'000, 7.999), 5e-4);
  EXPECT_DOUBLE_EQ(rate(schedule, 70'000, 8), 5e-5);
  EXPECT_DOUBLE_EQ(rate(schedule, 99'999, 11.5), 5e-5);
  EXPECT_DOUBLE_EQ(rate(schedule, 99'999, 12), 5e-6);
}

TEST(Schedule, StepFallsAtUpdatesAndCountsBothLists) {
  ScheduleConfig schedule = with("step", 0);
  schedule.step_updates = {100, 200};
  schedule.step_epochs = {3};
  schedule.decay = 0.5;
  EXPECT_EQ(rate(schedule, 99), 5e-4);
  EXPECT_EQ(rate(schedule, 100), 2.5e-4);
  EXPECT_EQ(rate(schedule, 199), 2.5e-4);
  EXPECT_EQ(rate(schedule, 200), 1.25e-4);
  EXPECT_EQ(rate(schedule, 200, 3), 0.625e-4);
  schedule.min_lr = 2e-4;
  EXPECT_EQ(rate(schedule, 200, 3), 2e-4);
}

TEST(Schedule, IsCompletedFromTheLengthOfTheRun) {
  ScheduleConfig schedule;
  schedule.name = "linear";
  EXPECT_EQ(complete_schedule(schedule, 9000).total_updates, 9000);
  EXPECT_EQ(complete_schedule(schedule, 9000).warmup_updates, 4000);
  schedule.total_updates = 7000;
  EXPECT_EQ(complete_schedule(schedule, 9000).total_updates, 7000);
  EXPECT_EQ(complete_schedule({}, 0).total_updates, 0);  // inverse_sqrt has no end
}

TEST(Schedule, ThatHasToEndMustKnowWhere) {
  ScheduleConfig schedule;
  schedule.name = "cosine";
  EXPECT_THROW(learning_rate(schedule, kLr, 0, 0), std::logic_error);
  try {
    complete_schedule(schedule, 0);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("schedule.total_updates: cosine has to know the last update"));
  }
  schedule.name = "nobody";
  EXPECT_THROW(learning_rate(schedule, kLr, 0, 0), std::logic_error);
}

}  // namespace
}  // namespace plumb
