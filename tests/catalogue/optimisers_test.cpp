#include "plumb/catalogue/optimisers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using ::testing::ElementsAre;

// Each line of help is one line and no sentence.
bool is_line(std::string_view text) {
  return !text.empty() && text.find('\n') == std::string_view::npos && !text.ends_with('.');
}

TEST(Optimisers, AreTheFourOfTheExperiments) {
  EXPECT_THAT(optimiser_names(), ElementsAre("sgd", "adam", "adamw", "radam"));
}

TEST(Optimisers, AreFoundByTheirNameAndByNothingElse) {
  for (const OptimiserRow& row : optimisers()) EXPECT_EQ(find_optimiser(row.name), &row);
  for (const std::string_view name : {"", "Adam", "adam ", "ada"}) EXPECT_EQ(find_optimiser(name), nullptr) << name;
}

TEST(Optimisers, SayOnOneLineWhatTheyDo) {
  for (const OptimiserRow& row : optimisers()) EXPECT_TRUE(is_line(row.summary) && is_line(row.update)) << row.name;
}

TEST(Optimisers, HaveOneWordForEveryChoice) {
  EXPECT_EQ(word(EpsConvention::Fairseq), "fairseq");
  EXPECT_EQ(word(EpsConvention::Torch), "torch");
  EXPECT_EQ(word(Decay::Decoupled), "decoupled");
  EXPECT_EQ(word(Decay::L2), "l2");
  EXPECT_EQ(word(RadamForm::Clinic), "clinic");
  EXPECT_EQ(word(RadamForm::Paper), "paper");
}

}  // namespace
}  // namespace plumb
