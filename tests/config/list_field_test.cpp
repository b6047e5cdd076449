// Fields that hold several numbers: optim.betas (two), schedule.step_updates and step_epochs (any count).

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/config/dump.h"
#include "plumb/config/field_text.h"
#include "plumb/config/fields.h"

#include "config/config_test.h"

namespace plumb {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(ListField, IsReadFromAFile) {
  const Folder folder;
  const auto file = folder.write("x.toml",
                                 "[optim]\nbetas = [0.8, 0.999]\n"
                                 "[schedule]\nstep_updates = [10, 20, 30]\nstep_epochs = [1, 2.5]\n");
  const Config config = load_config(file, {});
  EXPECT_THAT(config.optim.betas, ElementsAre(0.8, 0.999));
  EXPECT_THAT(config.schedule.step_updates, ElementsAre(10, 20, 30));
  EXPECT_THAT(config.schedule.step_epochs, ElementsAre(1.0, 2.5));
}

TEST(ListField, IsReadFromTheCommandLine) {
  const Config config = load_overrides(Overrides{"optim.betas=[0, 0.5]", "schedule.step_updates = [7]"});
  EXPECT_THAT(config.optim.betas, ElementsAre(0.0, 0.5));
  EXPECT_THAT(config.schedule.step_updates, ElementsAre(7));
}

TEST(ListField, IsReplacedAsAWhole) {
  const Config config = load_overrides(Overrides{"schedule.step_updates=[1, 2, 3]", "schedule.step_updates=[4]",
                                                 "schedule.step_epochs=[1]", "schedule.step_epochs=[]"});
  EXPECT_THAT(config.schedule.step_updates, ElementsAre(4));
  EXPECT_THAT(config.schedule.step_epochs, IsEmpty());
}

TEST(ListField, ReadsBackEqualFromItsDump) {
  Config config;
  config.optim.betas = {0.1 + 0.2, 0};
  config.schedule.step_updates = {1, std::numeric_limits<int>::max()};
  config.schedule.step_epochs = {1e-300, 1};
  const Folder folder;
  const Config again = load_config(folder.write("x.toml", to_toml(config)), {});
  EXPECT_EQ(again.optim.betas, config.optim.betas);
  EXPECT_EQ(again.schedule.step_updates, config.schedule.step_updates);
  EXPECT_EQ(again.schedule.step_epochs, config.schedule.step_epochs);
}

TEST(ListField, LooksLikeTomlAndSaysWhatItTakes) {
  EXPECT_EQ(toml_text(std::array<double, 2>{0.9, 1}), "[0.9, 1.0]");
  EXPECT_EQ(toml_text(std::vector<int>{}), "[]");
  EXPECT_EQ(toml_text(std::vector<int>{3}), "[3]");
  EXPECT_EQ((type_text<std::array<double, 2>>()), "list of 2 numbers");
  EXPECT_EQ(type_text<std::vector<int>>(), "list of integers");
  EXPECT_EQ(type_text<std::vector<double>>(), "list of numbers");
}

TEST(ListField, OfTheWrongLengthSaysWhichItWants) {
  EXPECT_THAT(error_of_set({"optim.betas=[0.9]"}),
              AllOf(StartsWith("--set optim.betas: wants a list of 2 numbers, not one of 1. "),
                    HasSubstr("For example betas = [0.9, 0.98]")));
  EXPECT_THAT(error_of_set({"optim.betas=[]"}), HasSubstr("not one of 0"));
  EXPECT_THAT(error_of_set({"optim.betas=[0.9, 0.98, 0.99]"}), HasSubstr("not one of 3"));
}

TEST(ListField, OfTheWrongTypeSaysWhatItGot) {
  EXPECT_THAT(error_of_set({"optim.betas=0.9"}), HasSubstr("wants a list of 2 numbers, not the number 0.9"));
  EXPECT_THAT(error_of_set({"optim.betas=0.9,0.98"}), HasSubstr("not the text \"0.9,0.98\""));
  EXPECT_THAT(error_of_set({"optim.betas=[0.9, 'x']"}), HasSubstr("not one with the text \"x\" in it"));
  EXPECT_THAT(error_of_set({"optim.betas=[0.9, true]"}), HasSubstr("not one with true in it"));
  EXPECT_THAT(error_of_set({"optim.betas=[[0.9, 0.98], 1]"}), HasSubstr("not one with an array in it"));
  EXPECT_THAT(error_of_set({"schedule.step_epochs=[2020-01-01]"}), HasSubstr("not one with a date or time in it"));
  EXPECT_THAT(error_of_set({"schedule.step_updates=[1.5]"}),
              AllOf(HasSubstr("wants a list of integers, not one with the number 1.5 in it"),
                    HasSubstr("For example step_updates = [1, 2]")));
  EXPECT_THAT(error_of_set({"schedule.step_updates=[3000000000]"}), HasSubstr("does not fit 32 bits"));
}

TEST(ListField, MustHoldFiniteNumbers) {
  EXPECT_THAT(error_of_set({"optim.betas=[0.9, nan]"}),
              AllOf(StartsWith("--set optim.betas: nan is not a finite number"), HasSubstr("Write a number")));
  EXPECT_THAT(error_of_set({"schedule.step_epochs=[1, inf]"}), HasSubstr("inf is not a finite number"));
}

TEST(ListField, StillIsNoNumber) {
  EXPECT_THAT(error_of_set({"optim.lr=[0.1]"}), HasSubstr("wants a number, not an array"));
  EXPECT_THAT(error_of_set({"schedule.name=['step']"}), HasSubstr("there is no schedule"));
}

}  // namespace
}  // namespace plumb
