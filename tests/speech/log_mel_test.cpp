#include "plumb/speech/log_mel.h"

#include <complex>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/audio/resample.h"
#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"

#include "audio/support/sound_files.h"

namespace plumb::test {
namespace {

constexpr double kPi = std::numbers::pi;

std::vector<float> noise(int64_t samples, double deviation = 0.1) {
  RandomStream random(7, "test");
  std::vector<float> sound;
  for (int64_t i = 0; i < samples; ++i) sound.push_back(static_cast<float>(deviation * random.normal()));
  return sound;
}

/// The window of frame `frame`, with everything that happens before the transform.
std::vector<double> windowed(const std::vector<float>& sound, int64_t frame, int64_t length, int64_t shift) {
  std::vector<double> x, y;
  double mean = 0;
  for (int64_t i = 0; i < length; ++i) x.push_back(32768.0 * static_cast<double>(sound[frame * shift + i]));
  for (const double value : x) mean += value / static_cast<double>(length);
  for (double& value : x) value -= mean;
  for (int64_t i = 0; i < length; ++i) {
    const double hann = 0.5 - 0.5 * std::cos(2 * kPi * static_cast<double>(i) / static_cast<double>(length - 1));
    y.push_back((x[i] - 0.97 * x[i == 0 ? 0 : i - 1]) * std::pow(hann, 0.85));
  }
  return y;
}

double mel(double hz) {
  return 1127 * std::log(1 + hz / 700);
}

/// Kaldi's recipe in plain loops: a transform straight from its definition, and triangles by their three corners.
std::vector<double> plain_log_mel(const std::vector<double>& window, int rate, int points, int bins, double high_hz) {
  std::vector<double> power;
  for (int line = 0; line < points / 2; ++line) {
    std::complex<double> sum = 0;
    for (size_t i = 0; i < window.size(); ++i) {
      sum += window[i] * std::polar(1.0, -2 * kPi * line * static_cast<double>(i) / points);
    }
    power.push_back(std::norm(sum));
  }
  std::vector<double> result;
  const double step = (mel(high_hz) - mel(20)) / (bins + 1);
  for (int b = 0; b < bins; ++b) {
    const double left = mel(20) + b * step, centre = left + step, right = centre + step;
    double energy = 0;
    for (int line = 0; line < points / 2; ++line) {
      const double at = mel(static_cast<double>(line) * rate / points);
      if (at <= left || at >= right) continue;
      energy += power[line] * (at <= centre ? (at - left) / (centre - left) : (right - at) / (right - centre));
    }
    result.push_back(std::log(std::max(energy, 1.1920929e-7)));
  }
  return result;
}

TEST(LogMel, EqualsPlainLoopsWithTheTransformWrittenOut) {
  struct Case {
    LogMelOptions options;
    int points;
    double high_hz;
  };
  const std::vector<float> sound = noise(2000);
  for (const Case& c : {Case{{}, 512, 8000}, Case{{.sample_rate = 8000, .bins = 40}, 256, 4000},
                        Case{{.bins = 23, .source_rate = 8000}, 512, 4000}}) {
    const at::Tensor frames = LogMel(c.options)(sound);
    ASSERT_EQ(frames.size(0), c.options.frames(2000));
    for (int64_t t = 0; t < frames.size(0); ++t) {
      const std::vector<double> window = windowed(sound, t, c.options.window(), c.options.shift());
      const std::vector<double> expected =
          plain_log_mel(window, c.options.sample_rate, c.points, c.options.bins, c.high_hz);
      for (int64_t b = 0; b < frames.size(1); ++b) {
        ASSERT_NEAR(frames[t][b].item<double>(), expected[b], 1e-5) << t << ' ' << b;
      }
    }
  }
}

TEST(LogMel, AToneIsLoudestInTheBandOfItsFrequency) {
  const LogMel log_mel((LogMelOptions()));
  for (const int band : {25, 30, 41, 55, 68, 79}) {
    const double centre = mel(20) + (band + 1) * (mel(8000) - mel(20)) / 81;
    const double hz = 700 * (std::exp(centre / 1127) - 1);
    const at::Tensor loudest = log_mel(tone(hz, 16000, 4000)).argmax(1);
    EXPECT_TRUE(loudest.eq(band).all().item<bool>()) << hz << " Hz: band " << loudest[0].item<int64_t>();
  }
}

// Parseval: the lines of the spectrum hold the energy of the window, half of it on the positive side. Between the
// middles of the first and of the last band the triangles of two neighbours add up to one.
TEST(LogMel, TheBandsTogetherHoldTheEnergyOfTheWindow) {
  const LogMel log_mel((LogMelOptions()));
  std::vector<float> sound = tone(1000, 16000, 1600);
  const std::vector<float> second = tone(2750, 16000, 1600, 0.3);
  for (size_t i = 0; i < sound.size(); ++i) sound[i] += second[i];
  const at::Tensor energies = log_mel(sound).to(at::kDouble).exp().sum(1);
  for (int64_t t = 0; t < energies.size(0); ++t) {
    double energy = 0;
    for (const double x : windowed(sound, t, 400, 160)) energy += x * x;
    EXPECT_NEAR(energies[t].item<double>() / (512 * energy / 2), 1, 1e-3) << t;
  }
}

TEST(LogMel, LouderSoundIsTheSameButForAConstant) {
  const LogMel log_mel((LogMelOptions()));
  std::vector<float> sound = noise(4000);
  const at::Tensor before = log_mel(sound);
  for (float& x : sound) x *= 0.25F;
  EXPECT_LE((before - log_mel(sound) - 2 * std::log(4.0)).abs().max().item<double>(), 1e-5);
}

TEST(LogMel, SilenceAndConstantsAreFinite) {
  const LogMel log_mel((LogMelOptions()));
  for (const float level : {0.0F, 0.7F, -1.0F}) {
    const at::Tensor frames = log_mel(std::vector<float>(1000, level));
    EXPECT_EQ(frames.size(0), 4);
    EXPECT_TRUE(frames.isfinite().all().item<bool>()) << level;
    EXPECT_LE((frames - std::log(1.1920929e-7)).abs().max().item<double>(), 1e-4) << level;
  }
}

TEST(LogMel, SoundFromATelephoneIsFiniteAtAHigherRate) {
  const std::vector<float> sound = resample(noise(8000), 8000, 16000);
  const at::Tensor frames = LogMel({})(sound);
  EXPECT_TRUE(frames.isfinite().all().item<bool>());
  // mel(4000) is three quarters of the way to mel(8000): above it there is next to nothing.
  EXPECT_LT(frames.narrow(1, 65, 15).max().item<double>(), frames.narrow(1, 0, 55).min().item<double>());
}

// Windows of the same duration have the same lines, each of twice the height from twice the samples. Pre-emphasis is
// another filter at another rate, and the last bands are where the resampling fades out.
TEST(LogMel, SoundAtAHigherRateHasTheBandsOfItsRecordingIfThatRateIsTold) {
  const std::vector<float> recorded = noise(16000), sound = resample(recorded, 8000, 16000);
  const at::Tensor before = LogMel({.sample_rate = 8000, .preemphasis = 0})(recorded);
  const at::Tensor after = LogMel({.preemphasis = 0, .source_rate = 8000})(sound);
  ASSERT_EQ(before.sizes(), after.sizes());
  EXPECT_TRUE(after.isfinite().all().item<bool>());
  const at::Tensor difference = (after - before - std::log(4.0)).narrow(1, 0, 77);
  EXPECT_LE(difference.mean(0).abs().max().item<double>(), 0.05);
}

TEST(LogMel, SoundShorterThanAWindowHasNoFrames) {
  const LogMel log_mel((LogMelOptions()));
  EXPECT_EQ(log_mel(noise(399)).sizes(), (std::vector<int64_t>{0, 80}));
  EXPECT_EQ(log_mel({}).size(0), 0);
}

// More frames than are transformed at once.
TEST(LogMel, AFrameDoesNotDependOnTheLengthOfTheSound) {
  const LogMel log_mel((LogMelOptions()));
  const std::vector<float> sound = noise(160 * 1100);
  const at::Tensor whole = log_mel(sound);
  for (const int64_t t : {0, 1000, 1023, 1024, 1097}) {
    const std::vector<float> part(sound.begin() + 160 * t, sound.begin() + 160 * t + 400);
    EXPECT_TRUE(at::equal(whole[t], log_mel(part)[0])) << t;
  }
}

TEST(LogMel, DitherIsTheSameForTheSameUtterance) {
  const LogMel log_mel({.dither = 1});
  const std::vector<float> silence(1000, 0.0F);
  EXPECT_TRUE(at::equal(log_mel(silence, 3), log_mel(silence, 3)));
  EXPECT_FALSE(at::equal(log_mel(silence, 3), log_mel(silence, 4)));
  EXPECT_GT(log_mel(silence, 3).min().item<double>(), -5);
}

TEST(LogMel, ImpossibleOptionsAreRefused) {
  EXPECT_THROW(LogMel({.bins = 0}), UserError);
  EXPECT_THROW(LogMel({.window_ms = 0.01}), UserError);
  EXPECT_THROW(LogMel({.shift_ms = 0}), UserError);
  EXPECT_THROW(LogMel({.low_hz = 4000, .source_rate = 8000}), UserError);
}

}  // namespace
}  // namespace plumb::test
