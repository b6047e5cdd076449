#include "plumb/speech/frame_statistics.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/speech/normalise.h"

#include "support/temporary_directory.h"

namespace plumb::test {
namespace {

/// Utterances of unequal length. Band 0 lies far from zero and band 2 is constant.
std::vector<at::Tensor> utterances() {
  std::vector<at::Tensor> all;
  for (const int64_t frames : {1, 7, 30, 400}) {
    at::Tensor x = at::empty({frames, 3}, at::kFloat);
    for (int64_t t = 0; t < frames; ++t) {
      x[t][0] = 1000 + std::sin(static_cast<double>(t * frames));
      x[t][1] = -3 + 0.1 * static_cast<double>(t % 5);
      x[t][2] = 0.1;
    }
    all.push_back(x);
  }
  return all;
}

/// Mean and deviation of one band over all frames, in two plain passes.
std::pair<double, double> plain(const std::vector<at::Tensor>& all, int64_t band) {
  double mean = 0, square = 0, count = 0;
  for (const at::Tensor& x : all) {
    for (int64_t t = 0; t < x.size(0); ++t) mean += x[t][band].item<double>(), ++count;
  }
  mean /= count;
  for (const at::Tensor& x : all) {
    for (int64_t t = 0; t < x.size(0); ++t) square += std::pow(x[t][band].item<double>() - mean, 2);
  }
  return {mean, std::sqrt(square / count)};
}

TEST(FrameStatistics, EqualPlainLoopsOverAllFrames) {
  FrameAccumulator accumulator;
  for (const at::Tensor& x : utterances()) accumulator.add(x);
  const FrameStatistics statistics = accumulator.statistics();
  EXPECT_EQ(accumulator.frames(), 438);
  for (int64_t band = 0; band < 2; ++band) {
    const auto [mean, deviation] = plain(utterances(), band);
    EXPECT_NEAR(statistics.mean[band], mean, 1e-12 * std::abs(mean)) << band;
    EXPECT_NEAR(statistics.deviation[band], deviation, 1e-10 * deviation) << band;
  }
  EXPECT_NEAR(statistics.mean[2], 0.1, 1e-8);
  EXPECT_EQ(statistics.deviation[2], 1e-5);  // the floor
}

TEST(FrameStatistics, NothingAddedIsNothingChanged) {
  FrameAccumulator accumulator;
  accumulator.add(at::empty({0, 3}));
  accumulator.add(utterances()[2]);
  const FrameStatistics before = accumulator.statistics();
  accumulator.add(at::empty({0, 3}));
  EXPECT_EQ(accumulator.statistics(), before);
}

TEST(FrameStatistics, AreTheSameAfterAFile) {
  const TemporaryDirectory directory;
  FrameAccumulator accumulator;
  for (const at::Tensor& x : utterances()) accumulator.add(x);
  const std::string path = (directory / "statistics.json").string();
  write_statistics(path, accumulator.statistics());
  EXPECT_EQ(read_statistics(path), accumulator.statistics());
}

TEST(FrameStatistics, DamagedFilesAreRefused) {
  const TemporaryDirectory directory;
  const std::string path = (directory / "statistics.json").string();
  EXPECT_THROW(read_statistics(path), UserError);
  for (const char* text : {"", "{", "[]", "{\"mean\": [1]}", R"({"mean": [1], "deviation": [1, 2]})",
                           R"({"mean": [1], "deviation": [0]})", R"({"mean": [], "deviation": []})",
                           R"({"mean": ["a"], "deviation": [1]})", R"({"mean": [null], "deviation": [1]})"}) {
    write_all(path, text);
    EXPECT_THROW(read_statistics(path), DamagedFile) << text;
  }
}

TEST(Normalised, HaveMeanZeroAndDeviationOneInEachBand) {
  const at::Tensor x = normalised(utterances()[3]);
  for (int64_t band = 0; band < 2; ++band) {
    const auto [mean, deviation] = plain({x}, band);
    EXPECT_NEAR(mean, 0, 1e-6) << band;
    EXPECT_NEAR(deviation, 1, 1e-6) << band;
  }
}

TEST(Normalised, ABandThatDoesNotVaryIsZero) {
  EXPECT_TRUE(normalised(utterances()[3]).select(1, 2).eq(0).all().item<bool>());
  EXPECT_TRUE(normalised(utterances()[0]).eq(0).all().item<bool>()) << "an utterance of one frame";
}

TEST(Normalised, ByGivenStatisticsIsAShiftAndAScaleOfEachBand) {
  const FrameStatistics statistics{{1, 2, 3}, {0.5, 2, 4}};
  const at::Tensor x = utterances()[1], y = normalised(x, statistics);
  for (int64_t t = 0; t < x.size(0); ++t) {
    for (int64_t band = 0; band < 3; ++band) {
      const double wanted = (x[t][band].item<double>() - statistics.mean[band]) / statistics.deviation[band];
      EXPECT_NEAR(y[t][band].item<double>(), wanted, 1e-6 * std::abs(wanted));
    }
  }
}

TEST(Normalised, AnUtteranceWithoutFramesStaysOne) {
  EXPECT_EQ(normalised(at::empty({0, 3}), {{1, 2, 3}, {1, 1, 1}}).size(0), 0);
}

}  // namespace
}  // namespace plumb::test
