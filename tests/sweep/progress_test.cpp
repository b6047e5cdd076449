#include "plumb/sweep/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::sweep {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A terminal or a log file whose clock the test moves by hand.
struct Stage {
  double now = 1000;
  std::string text = {};

  ProgressOutput output(bool terminal) {
    return {.terminal = terminal,
            .write = [this](std::string_view part) { text += part; },
            .seconds = [this] { return now; }};
  }
};

// The line that a log file sees after `seconds` in which `running` runs went from `before` to `after`.
std::string line_after(double seconds, size_t slots, size_t running, const std::vector<RunShare>& before,
                       const std::vector<RunShare>& after) {
  Stage stage;
  SweepProgress progress(false, "loss", slots, stage.output(false));
  progress.show(running, before);
  stage.now += seconds;
  progress.show(running, after);
  return stage.text;
}

constexpr RunShare kNone{}, kHalf{.made = 0.5, .ended = false}, kWhole{.made = 1, .ended = true};

TEST(SweepProgress, TellsTheRateAndTheTimeThatIsLeft) {
  // Two at a time make half a run each in 100 s: 200 s for a run, and three are left for two slots.
  EXPECT_EQ(line_after(100, 2, 2, {kNone, kNone, kNone, kNone}, {kHalf, kHalf, kNone, kNone}),
            "0 of 4 runs done, 2 running, 2 left, 36.0 runs/h, 5 min 00 s to go\n");
}

TEST(SweepProgress, TheLastRunHasOneSlotForItself) {
  EXPECT_THAT(line_after(100, 2, 2, {kNone, kNone, kNone}, {kWhole, kWhole, kNone}), EndsWith("1 min 40 s to go\n"));
  EXPECT_THAT(line_after(100, 8, 3, {kNone, kNone, kNone}, {kWhole, kWhole, kHalf}), EndsWith("1 min 00 s to go\n"));
}

TEST(SweepProgress, RunsThatDivergeEarlyAreNoMeasureOfTheOthers) {
  const RunShare diverged{.made = 0.125, .ended = true}, going{.made = 0.25, .ended = false};
  // Half a run in 100 s: the one that goes on has 150 s left, and the one after it takes 200 s.
  EXPECT_EQ(line_after(100, 1, 1, {kNone, kNone, kNone, kNone}, {diverged, diverged, going, kNone}),
            "2 of 4 runs done, 1 running, 1 left, 18.0 runs/h, 5 min 50 s to go\n");
}

TEST(SweepProgress, WhatWasDoneBeforeIsNoMeasureEither) {
  EXPECT_THAT(line_after(100, 1, 1, {kWhole, kHalf, kNone}, {kWhole, kWhole, kNone}),
              HasSubstr("2 of 3 runs done, 1 running, 0 left, 18.0 runs/h, 3 min 20 s to go"));
}

TEST(SweepProgress, TellsNoTimeBeforeItKnowsAny) {
  EXPECT_EQ(line_after(100, 1, 1, {kNone, kNone}, {kNone, kNone}), "0 of 2 runs done, 1 running, 1 left\n");
  Stage stage;
  SweepProgress progress(false, "loss", 1, stage.output(true));
  progress.show(1, {kNone, kNone});
  stage.now += 2;
  progress.show(1, {kHalf, kNone});
  EXPECT_THAT(stage.text, Not(HasSubstr("to go")));
}

TEST(SweepProgress, ATerminalIsRedrawnAndALogSeesALineAMinute) {
  Stage terminal, log;
  {
    SweepProgress drawn(false, "loss", 1, terminal.output(true)), written(false, "loss", 1, log.output(false));
    for (int i = 0; i < 90; ++i, ++terminal.now, ++log.now) {
      drawn.show(1, {kHalf});
      written.show(1, {kHalf});
    }
    EXPECT_EQ(std::ranges::count(terminal.text, '\r'), 90);
    EXPECT_EQ(std::ranges::count(log.text, '\n'), 1);
    drawn.say("a line of its own");
    EXPECT_THAT(terminal.text, EndsWith("\x1b[K\r\x1b[Ka line of its own\n"));
    drawn.show(1, {kHalf});
  }
  EXPECT_THAT(terminal.text, EndsWith("\r\x1b[K"));
}

TEST(SweepProgress, ARunThatEndedSaysHow) {
  Stage stage;
  SweepProgress progress(false, "loss", 1, stage.output(false));
  RunResult result{.run = {.arm = 0, .seed = 3, .folder = {}}, .summary = {}};
  result.summary.state = RunState::Finished;
  result.pending = false;
  result.value = 1.25;
  progress.run_ended(result, "deep", 61);
  result.value.reset();
  result.summary.state = RunState::Diverged;
  result.summary.failure = RunFailure{.update = 40, .reason = {}, .tap = {}, .gradient_tap = {}, .parameter = {}};
  progress.run_ended(result, "deep", 2);
  EXPECT_EQ(stage.text, "deep, seed 3: finished, loss 1.25 (1 min 01 s)\ndeep, seed 3: diverged at update 40 (2 s)\n");
}

TEST(SweepProgress, SaysNothingIfItIsToBeQuiet) {
  Stage stage;
  SweepProgress progress(true, "loss", 1, stage.output(true));
  progress.show(1, {kNone});
  progress.say("x");
  EXPECT_EQ(stage.text, "");
}

}  // namespace
}  // namespace plumb::sweep
