#include "plumb/audio/resample.h"

#include <complex>

#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "audio/support/sound_files.h"

namespace plumb::test {
namespace {

/// The amplitude that a tone has in the middle half of some sound, by projection on it.
double amplitude_at(double hz, int rate, const std::vector<float>& sound) {
  std::complex<double> sum = 0;
  const size_t begin = sound.size() / 4, end = 3 * sound.size() / 4;
  for (size_t i = begin; i < end; ++i) {
    sum += static_cast<double>(sound[i]) * std::polar(2.0, -2 * std::numbers::pi * hz * static_cast<double>(i) / rate);
  }
  return std::abs(sum) / static_cast<double>(end - begin);
}

TEST(Resample, GivesExactlyTheLengthThatIsToldBefore) {
  for (const int from : {8000, 11025, 22050, 44100, 48000, 7999}) {
    for (const int64_t count : {1, 2, 3, 50, 1001, 4410}) {
      const double wanted = std::ceil(static_cast<double>(count) * 16000 / from);
      EXPECT_EQ(resampled_length(count, from, 16000), static_cast<int64_t>(wanted)) << from << ' ' << count;
      EXPECT_EQ(resample(tone(100, from, count), from, 16000).size(), static_cast<size_t>(wanted))
          << from << ' ' << count;
    }
  }
}

TEST(Resample, AToneKeepsItsFrequencyItsAmplitudeAndItsPhase) {
  for (const int from : {8000, 22050, 44100, 48000}) {
    for (const double hz : {300.0, 1000.0, 3000.0}) {
      const std::vector<float> sound = resample(tone(hz, from, from), from, 16000);
      const std::vector<float> wanted = tone(hz, 16000, 16000);
      EXPECT_NEAR(amplitude_at(hz, 16000, sound), 0.5, 1e-3) << from << ' ' << hz;
      for (size_t i = 4000; i < 12000; ++i) ASSERT_NEAR(sound[i], wanted[i], 2e-3) << from << ' ' << hz << ' ' << i;
    }
  }
}

TEST(Resample, WhatTheNewRateCannotHoldIsGoneInsteadOfFoldedBack) {
  const std::vector<float> sound = resample(tone(10000, 48000, 48000), 48000, 16000);
  EXPECT_LT(amplitude_at(6000, 16000, sound), 1e-4);  // where it would appear
}

TEST(Resample, TheSameRateChangesNothing) {
  const std::vector<float> sound = tone(300, 16000, 100);
  EXPECT_EQ(resample(sound, 16000, 16000), sound);
  EXPECT_TRUE(resample({}, 8000, 16000).empty());
}

TEST(Resample, RatesTooFarApartAreRefused) {
  EXPECT_THROW(resample(tone(1, 10, 10), 10, 16000, "a.wav"), UserError);
}

}  // namespace
}  // namespace plumb::test
