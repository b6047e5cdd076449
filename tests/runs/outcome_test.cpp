#include "plumb/runs/outcome.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(RunOutcome, EveryNameIsReadAsWhatItNames) {
  for (const auto outcome : {RunOutcome::Finished, RunOutcome::Stuck, RunOutcome::Diverged, RunOutcome::Interrupted}) {
    EXPECT_EQ(parse_outcome(outcome_name(outcome)), outcome);
  }
  EXPECT_EQ(outcome_name(RunOutcome::Finished), "finished");
  EXPECT_EQ(parse_outcome("unfinished"), std::nullopt);
  EXPECT_EQ(parse_outcome(""), std::nullopt);
}

TEST(RunOutcome, TrainedOfOlderRunsIsFinished) {
  EXPECT_EQ(parse_outcome("trained"), RunOutcome::Finished);
  EXPECT_EQ(outcome_word("trained"), "finished");
  EXPECT_EQ(outcome_word("no value"), "no value");
}

TEST(RunOutcome, AShareNeedsAnEntropy) {
  EXPECT_EQ(unigram_share(1, 4), 0.25);
  EXPECT_EQ(unigram_share(1, 0), std::nullopt);
}

}  // namespace
}  // namespace plumb
