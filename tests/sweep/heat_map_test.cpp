#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/sweep/results_text.h"

namespace plumb::sweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Sweep three_keys() {
  Sweep sweep;
  sweep.grid = {
      {"model.variant", {"\"x\"", "\"y\""}}, {"optim.lr", {"0.1", "0.2"}}, {"schedule.warmup_updates", {"0", "50"}}};
  return sweep;
}

// Loss 1, 2, 3, ... in the order of the arms; `diverged` instead of the fourth.
SweepResults results_of(const Sweep& sweep) {
  std::vector<RunResult> runs;
  for (const Run& run : runs_of(sweep, arms_of(sweep))) {
    RunResult result{.run = run, .summary = {}};
    result.pending = false;
    result.summary.state = run.arm == 3 ? RunState::Diverged : RunState::Finished;
    if (run.arm != 3) result.value = static_cast<double>(run.arm + 1);
    runs.push_back(result);
  }
  return make_results(sweep, "out", runs);
}

TEST(HeatMap, OneMapForEachValueOfTheKeyThatIsNoNumber) {
  EXPECT_EQ(heat_maps_text(results_of(three_keys()), false),
            "\nvariant=x\n"
            "lr \\ warmup_updates  0        50\n"
            "                0.1  1█        2▓\n"
            "                0.2  3▓ diverged✗\n"
            "\nvariant=y\n"
            "lr \\ warmup_updates  0  50\n"
            "                0.1  5▒  6░\n"
            "                0.2  7░  8\n"
            "loss from 1 (best, █) to 8 (worst, blank)\n");
}

TEST(HeatMap, TheKeysCanBeNamed) {
  Sweep sweep = three_keys();
  sweep.heatmap = {"schedule.warmup_updates", "model.variant"};
  const std::string text = heat_maps_text(results_of(sweep), false);
  EXPECT_THAT(text, HasSubstr("\nlr=0.1\nwarmup_updates \\ variant"));
}

TEST(HeatMap, ATerminalSeesColours) {
  const std::string text = heat_maps_text(results_of(three_keys()), true);
  EXPECT_THAT(text, HasSubstr("\x1b[48;5;226;38;5;16m"));  // the best
  EXPECT_THAT(text, HasSubstr("\x1b[31m"));                // the failure
  EXPECT_THAT(heat_maps_text(results_of(three_keys()), false), Not(HasSubstr("\x1b")));
}

TEST(HeatMap, OneKeyIsNoMap) {
  Sweep sweep;
  sweep.grid = {{"optim.lr", {"0.1", "0.2"}}};
  EXPECT_EQ(heat_maps_text(results_of(sweep), false), "");
}

TEST(ArmsTable, TheBestIsBoldOnATerminal) {
  Sweep sweep;
  sweep.grid = {{"optim.lr", {"0.1", "0.2"}}};
  const SweepResults results = results_of(sweep);
  EXPECT_THAT(arms_text(results, true), HasSubstr("\x1b[1mlr=0.1 "));
  EXPECT_THAT(arms_text(results, false), Not(HasSubstr("\x1b")));
}

TEST(ArmsTable, TheSpeedIsTheMedianOfTheRuns) {
  Sweep sweep;
  sweep.seeds = {1, 2};
  SweepResults results = results_of(sweep);
  results.runs[0].summary.tokens_per_second = 1000;
  EXPECT_THAT(arms_text(results, false), HasSubstr(" 1000 "));
  results.runs[1].summary.tokens_per_second = 3000;
  EXPECT_THAT(arms_text(results, false), HasSubstr(" 2000 "));
}

}  // namespace
}  // namespace plumb::sweep
