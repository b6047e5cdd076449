#include "plumb/audio/log_mel_options.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

/// By moving a window until it does not fit.
int64_t counted(int64_t samples, int64_t window, int64_t shift) {
  int64_t frames = 0;
  for (int64_t begin = 0; begin + window <= samples; begin += shift) ++frames;
  return frames;
}

TEST(LogMelOptions, CountTheFramesInWhichAWindowFits) {
  for (const int rate : {8000, 16000, 22050}) {
    const LogMelOptions options{.sample_rate = rate};
    for (int64_t samples = 0; samples < 3000; ++samples) {
      ASSERT_EQ(options.frames(samples), counted(samples, rate / 40, rate / 100)) << rate << ' ' << samples;
    }
  }
}

TEST(LogMelOptions, HaveTheWindowsOfKaldi) {
  const LogMelOptions options;
  EXPECT_EQ(options.window(), 400);
  EXPECT_EQ(options.shift(), 160);
  EXPECT_EQ(options.frames(399), 0);
  EXPECT_EQ(options.frames(400), 1);
  EXPECT_EQ(options.frames(559), 1);
  EXPECT_EQ(options.frames(560), 2);
  EXPECT_EQ(options.frames(16000), 98);
}

TEST(LogMelOptions, NoBandGoesBeyondWhatWasRecorded) {
  EXPECT_EQ(LogMelOptions().upper_hz(), 8000);
  EXPECT_EQ(LogMelOptions{.sample_rate = 8000}.upper_hz(), 4000);
  EXPECT_EQ((LogMelOptions{.sample_rate = 16000, .source_rate = 8000}.upper_hz()), 4000);
  EXPECT_EQ((LogMelOptions{.sample_rate = 16000, .source_rate = 48000}.upper_hz()), 8000);
}

}  // namespace
}  // namespace plumb
