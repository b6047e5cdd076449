// What check_optim and check_schedule refuse, and that the keys which the rows name exist.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/catalogue/optimisers.h"
#include "plumb/catalogue/schedules.h"
#include "plumb/config/check.h"
#include "plumb/config/fields.h"

#include "config/config_test.h"

namespace plumb {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct OptimCase {
  const char* name;
  Overrides overrides;  // the last of them is to blame
  const char* where;
  const char* problem;
  const char* remedy;
};

void PrintTo(const OptimCase& c, std::ostream* out) {
  *out << c.name;
}

// clang-format off
const OptimCase kOptimCases[] = {
    {"optimiser", {"optim.name=adan"}, "optim.name", "there is no optimiser \"adan\"", "Did you mean adam? `plumb list optimisers`"},
    {"zero_lr", {"optim.lr=0"}, "optim.lr", "a learning rate of 0 trains nothing", "above 0"},
    {"negative_lr", {"optim.lr=-1e-3"}, "optim.lr", "-0.001", "above 0"},
    {"first_beta", {"optim.betas=[1, 0.98]"}, "optim.betas", "1 is not in [0, 1)", "0.9"},
    {"second_beta", {"optim.betas=[0.9, -0.1]"}, "optim.betas", "-0.1 is not in [0, 1)", "0.9"},
    {"eps", {"optim.eps=0"}, "optim.eps", "0 / 0", "at least 1e-30"},
    {"eps_that_single_precision_loses", {"optim.eps=1e-50"}, "optim.eps", "1e-50 is too small", "at least"},
    {"momentum", {"optim.momentum=1"}, "optim.momentum", "1 is not in [0, 1)", "stays"},
    {"weight_decay", {"optim.weight_decay=-1"}, "optim.weight_decay", "-1 is negative", "0 or more"},
    {"clip_norm", {"optim.clip_norm=-1"}, "optim.clip_norm", "-1 is negative", "0 or more"},
    {"decay_that_turns_around", {"optim.lr=0.5", "optim.weight_decay=2"}, "optim.weight_decay", "lr times weight_decay is 1", "1e-4"},
    {"l2_adamw", {"optim.name=adamw", "optim.decay=l2"}, "optim.decay", "the decay of adamw is decoupled, never \"l2\"", "adam"},
    {"radam_that_never_moves", {"optim.name=radam", "optim.betas=[0.9, 0.6]"}, "optim.betas", "never makes an update", "above 2/3"},
    {"schedule", {"schedule.name=inverse_sqr"}, "schedule.name", "there is no schedule \"inverse_sqr\"", "Did you mean inverse_sqrt? `plumb list schedules`"},
    {"warmup_updates", {"schedule.warmup_updates=-1"}, "schedule.warmup_updates", "-1 is too small", "at least 0"},
    {"total_updates", {"schedule.total_updates=-1"}, "schedule.total_updates", "-1 is too small", "at least 0"},
    {"period", {"schedule.period=0"}, "schedule.period", "0 is too small", "at least 1"},
    {"tail_updates", {"schedule.tail_updates=0"}, "schedule.tail_updates", "0 is too small", "at least 1"},
    {"warmup_init_lr", {"schedule.warmup_init_lr=-1"}, "schedule.warmup_init_lr", "-1 is negative", "0 or more"},
    {"min_lr", {"schedule.min_lr=-1"}, "schedule.min_lr", "-1 is negative", "0 or more"},
    {"min_lr_above_lr", {"optim.lr=0.1", "schedule.min_lr=0.2"}, "schedule.min_lr", "min_lr 0.2 is above lr 0.1", "exchange"},
    {"power", {"schedule.power=0"}, "schedule.power", "0 is not above 0", "1 for a straight line"},
    {"zero_decay", {"schedule.decay=0"}, "schedule.decay", "0 is not in (0, 1]", "0.1"},
    {"growth", {"schedule.decay=1.5"}, "schedule.decay", "1.5 is not in (0, 1]", "0.1"},
    {"steps_at_zero", {"schedule.step_updates=[0, 5]"}, "schedule.step_updates", "[0, 5] does not rise", "order of time"},
    {"steps_twice", {"schedule.step_updates=[5, 5]"}, "schedule.step_updates", "[5, 5] does not rise", "once"},
    {"epochs_backwards", {"schedule.step_epochs=[8, 4.5]"}, "schedule.step_epochs", "[8.0, 4.5] does not rise", "order of time"},
    {"no_steps", {"schedule.name=step"}, "schedule.name", "step has no step to fall at", "step_epochs = [8]"},
    {"end_in_warmup", {"schedule.name=cosine", "schedule.warmup_updates=100", "schedule.total_updates=100"}, "schedule.total_updates",
     "cosine would end at update 100, within its warm-up of 100", "Make schedule.total_updates larger"},
    {"end_in_own_warmup", {"schedule.name=linear", "schedule.total_updates=4000"}, "schedule.total_updates", "within its warm-up of 4000", "schedule.warmup_updates smaller"},
    {"run_in_warmup", {"schedule.name=linear", "schedule.warmup_updates=20", "train.max_update=10"}, "train.max_update", "would end at update 10", "Make train.max_update larger"},
    {"warmup_of_run", {"schedule.name=linear", "train.max_update=10", "schedule.warmup_updates=20"}, "schedule.warmup_updates", "warm-up of 20", "smaller"},
};
// clang-format on

class EveryOptimCheck : public testing::TestWithParam<OptimCase> {};

TEST_P(EveryOptimCheck, NamesKeyAndRemedyOnOneLine) {
  const OptimCase& c = GetParam();
  const std::string error = error_of_set(c.overrides);
  EXPECT_THAT(error,
              AllOf(StartsWith(std::string("--set ") + c.where + ": "), HasSubstr(c.problem), HasSubstr(c.remedy)));
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(List, EveryOptimCheck, testing::ValuesIn(kOptimCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(CheckOptim, AcceptsEveryOptimiserWithDefaults) {
  for (const std::string_view name : optimiser_names()) {
    EXPECT_EQ(error_of_set({"optim.name=" + std::string(name)}), "") << name;
  }
}

TEST(CheckOptim, AcceptsEveryScheduleWithDefaultsAndWithoutWarmUp) {
  for (const std::string_view name : schedule_names()) {
    Overrides overrides{"schedule.step_epochs=[8]", "schedule.name=" + std::string(name)};
    EXPECT_EQ(error_of_set(overrides), "") << name;
    overrides.push_back("schedule.warmup_updates=0");
    EXPECT_EQ(error_of_set(overrides), "") << name;
  }
}

TEST(CheckOptim, AcceptsWhatOnlyOthersForbid) {
  EXPECT_EQ(error_of_set({"optim.name=radam", "optim.radam_form=paper", "optim.betas=[0.9, 0.6]"}), "");
  EXPECT_EQ(error_of_set({"optim.betas=[0, 0]"}), "");
  EXPECT_EQ(error_of_set({"optim.decay=l2", "optim.weight_decay=5000"}), "");
  EXPECT_EQ(error_of_set({"schedule.name=constant", "schedule.total_updates=10"}), "");
  EXPECT_EQ(error_of_set({"schedule.name=linear", "schedule.total_updates=4001"}), "");
  EXPECT_EQ(error_of_set({"schedule.decay=1", "schedule.min_lr=5e-4"}), "");
}

TEST(CheckOptim, DefaultsAreThoseOfTheRecipes) {
  const Config config;
  EXPECT_EQ(config.optim.name, "adam");
  EXPECT_EQ(config.optim.lr, 5e-4);
  EXPECT_EQ(config.optim.betas, (std::array<double, 2>{0.9, 0.98}));
  EXPECT_EQ(config.optim.eps, 1e-8);
  EXPECT_EQ(config.optim.weight_decay, 0);
  EXPECT_EQ(config.optim.clip_norm, 0);
  EXPECT_EQ(config.schedule.name, "inverse_sqrt");
  EXPECT_EQ(config.schedule.warmup_updates.value_or(find_schedule("inverse_sqrt")->warmup_updates), 4000);
  EXPECT_EQ(config.schedule.warmup_init_lr, 1e-7);
}

bool is_key(const std::string& key) {
  return std::ranges::any_of(field_rows(), [&](const FieldRow& row) { return row.key() == key; });
}

TEST(CheckOptim, EveryKeyThatARowNamesExists) {
  for (const OptimiserRow& row : optimisers()) {
    for (const std::string_view key : row.keys) EXPECT_TRUE(is_key("optim." + std::string(key))) << row.name << key;
  }
  for (const ScheduleRow& row : schedules()) {
    for (const std::string_view key : row.keys) EXPECT_TRUE(is_key("schedule." + std::string(key))) << row.name << key;
  }
}

TEST(CheckOptim, EveryKeyIsReadBySomeRow) {
  const Overrides for_all{"optim.name", "optim.lr", "schedule.name", "schedule.warmup_updates",
                          "schedule.warmup_init_lr"};
  for (const FieldRow& field : field_rows()) {
    const auto names_it = [&](const auto& row) { return std::ranges::find(row.keys, field.name) != row.keys.end(); };
    if (std::ranges::find(for_all, field.key()) != for_all.end()) continue;
    EXPECT_TRUE(field.section != "optim" || std::ranges::any_of(optimisers(), names_it)) << field.key();
    EXPECT_TRUE(field.section != "schedule" || std::ranges::any_of(schedules(), names_it)) << field.key();
  }
}

}  // namespace
}  // namespace plumb
