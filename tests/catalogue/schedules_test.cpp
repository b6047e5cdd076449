#include "plumb/catalogue/schedules.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using ::testing::ElementsAre;

bool is_one_line(std::string_view text) {
  return !text.empty() && text.find('\n') == std::string_view::npos && !text.ends_with('.');
}

TEST(Schedules, AreThoseOfTheExperiments) {
  EXPECT_THAT(schedule_names(), ElementsAre("constant", "inverse_sqrt", "inverse_sqrt_tail", "inverse_sqrt_nowarmup",
                                            "linear", "polynomial", "cosine", "step"));
}

TEST(Schedules, AreFoundByTheirNameAndByNothingElse) {
  for (const ScheduleRow& row : schedules()) EXPECT_EQ(find_schedule(row.name), &row);
  for (const std::string_view name : {"", "Linear", "inverse", "steps"})
    EXPECT_EQ(find_schedule(name), nullptr) << name;
}

TEST(Schedules, SayOnOneLineWhatTheyDo) {
  for (const ScheduleRow& row : schedules())
    EXPECT_TRUE(is_one_line(row.summary) && is_one_line(row.formula)) << row.name;
}

TEST(Schedules, ThatEndReadTheLastUpdate) {
  for (const ScheduleRow& row : schedules()) {
    EXPECT_EQ(row.ends, std::ranges::find(row.keys, "total_updates") != row.keys.end()) << row.name;
  }
}

TEST(Schedules, HaveAWarmUpUnlessTheirNameSaysOtherwise) {
  for (const ScheduleRow& row : schedules()) {
    EXPECT_EQ(row.warmup_updates, row.name.find("nowarmup") == std::string_view::npos ? 4000 : 0) << row.name;
  }
}

}  // namespace
}  // namespace plumb
