#include "plumb/base/progress.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace plumb {
namespace {

// A terminal or a log file whose clock the test moves by hand.
struct Stage {
  double now = 1000;
  std::string text;
  int writes = 0;

  ProgressOutput output(bool terminal) {
    return {.terminal = terminal,
            .write = [this](std::string_view part) { text += part, ++writes; },
            .seconds = [this] { return now; }};
  }
};

TEST(Progress, SaysNothingAboutWorkOfLessThanASecond) {
  for (const bool terminal : {false, true}) {
    Stage stage;
    {
      Progress progress("reading", 10, stage.output(terminal));
      for (int i = 0; i < 9; ++i) stage.now += 0.1, progress.advance();
    }
    EXPECT_EQ(stage.text, "");
  }
}

TEST(Progress, RedrawsATerminalAtMostTenTimesASecondAndWipesTheLine) {
  Stage stage;
  {
    Progress progress("reading", 4096, stage.output(true));
    for (int i = 0; i < 2048; ++i) stage.now += 1.0 / 1024, progress.advance();  // exact in binary
    EXPECT_GE(stage.writes, 9);
    EXPECT_LE(stage.writes, 11);
    EXPECT_EQ(stage.text.rfind("\rreading  1024/4096 (25 %)  1024/s  3 s left\x1b[K", 0), 0u) << stage.text;
    EXPECT_EQ(stage.text.find('\n'), std::string::npos);
  }
  EXPECT_TRUE(stage.text.ends_with("\x1b[K\r\x1b[K"));
}

TEST(Progress, WritesALogLineEveryTenSecondsAndOneAtTheEnd) {
  Stage stage;
  {
    Progress progress("reading", 100, stage.output(false));
    for (int i = 0; i < 25; ++i) stage.now += 1, progress.advance();
  }
  EXPECT_EQ(stage.text,
            "reading  10/100 (10 %)  1.0/s  1 min 30 s left\n"
            "reading  20/100 (20 %)  1.0/s  1 min 20 s left\n"
            "reading  25  1.0/s  25 s\n");
}

TEST(Progress, ManagesWithoutATotalAndBeyondIt) {
  Stage stage;
  Progress unknown("lines", 0, stage.output(false));
  stage.now += 10;
  unknown.advance(5000);
  EXPECT_EQ(stage.text, "lines  5000  500/s\n");

  Stage other;
  Progress beyond("lines", 10, other.output(false));
  other.now += 10;
  beyond.advance(20);
  EXPECT_EQ(other.text, "lines  20/10 (200 %)  2.0/s  0 s left\n");
}

TEST(Progress, FinishesOnce) {
  Stage stage;
  Progress progress("reading", 10, stage.output(false));
  stage.now += 2;
  progress.finish();
  progress.finish();
  progress.advance();
  EXPECT_EQ(stage.writes, 1);
}

TEST(Progress, WritesDurationsForPeople) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7380), "2 h 03 min");
  EXPECT_EQ(duration_text(INFINITY), "long");
  EXPECT_EQ(duration_text(NAN), "long");
}

TEST(RateText, HasADecimalWhereItMatters) {
  EXPECT_EQ(rate_text(0.04), "0.0");
  EXPECT_EQ(rate_text(41.52), "41.5");
  EXPECT_EQ(rate_text(415.2), "415");
}

}  // namespace
}  // namespace plumb
