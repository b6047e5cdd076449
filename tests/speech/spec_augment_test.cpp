#include "plumb/speech/spec_augment.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace plumb::test {
namespace {

constexpr int64_t kFrames = 400, kBins = 80;

void expect_within(const std::vector<SpecMasks::Span>& spans, size_t count, int64_t widest, int64_t length) {
  ASSERT_EQ(spans.size(), count);
  for (const SpecMasks::Span& span : spans) {
    EXPECT_GE(span.count, 0);
    EXPECT_LE(span.count, widest);
    EXPECT_GE(span.begin, 0);
    EXPECT_LE(span.begin + span.count, length);
  }
}

TEST(SpecAugment, MasksStayWithinTheUtteranceAndTheirWidths) {
  const SpecAugmentOptions options{.time_masks = 3, .frequency_masks = 1};
  for (const int64_t frames : {1, 2, 30, 99, 100, 101, 2000}) {
    for (uint64_t sample = 0; sample < 200; ++sample) {
      const SpecMasks masks = spec_masks(options, frames, kBins, 1, 2, sample);
      expect_within(masks.times, 3, std::min<int64_t>(100, frames), frames);
      expect_within(masks.frequencies, 1, 27, kBins);
    }
  }
}

TEST(SpecAugment, AShareBoundsTheMasksOfShortUtterances) {
  const SpecAugmentOptions options{.time_share = 0.2};
  int64_t widest = 0;
  for (uint64_t sample = 0; sample < 500; ++sample) {
    for (const auto& span : spec_masks(options, 63, kBins, 1, 2, sample).times) widest = std::max(widest, span.count);
  }
  EXPECT_EQ(widest, 12);
}

// A width is 0 .. W with equal chances, W / 2 in the mean; so is a place among those where it fits.
TEST(SpecAugment, WidthsAndPlacesAreUniform) {
  const SpecAugmentOptions options;
  double time = 0, frequency = 0, middle = 0;
  std::vector<int64_t> widths(28);
  constexpr int kDraws = 20000;
  for (uint64_t sample = 0; sample < kDraws; ++sample) {
    const SpecMasks masks = spec_masks(options, kFrames, kBins, 1, 2, sample);
    time += static_cast<double>(masks.times[0].count) / kDraws;
    frequency += static_cast<double>(masks.frequencies[1].count) / kDraws;
    middle += (static_cast<double>(masks.times[1].begin) + static_cast<double>(masks.times[1].count) / 2) / kDraws;
    ++widths[masks.frequencies[0].count];
  }
  EXPECT_NEAR(time, 50, 5 * 29.2 / std::sqrt(kDraws));
  EXPECT_NEAR(frequency, 13.5, 5 * 8.08 / std::sqrt(kDraws));
  EXPECT_NEAR(middle, kFrames / 2.0, 5 * 115 / std::sqrt(kDraws));
  for (const int64_t count : widths)
    EXPECT_NEAR(static_cast<double>(count), kDraws / 28.0, 5 * std::sqrt(kDraws / 28.0));
}

TEST(SpecAugment, HidesTheShareOfAnUtteranceThatItsWidthsPromise) {
  double hidden = 0;
  constexpr int kDraws = 500;
  for (uint64_t sample = 0; sample < kDraws; ++sample) {
    const at::Tensor x = masked(at::ones({kFrames, kBins}), spec_masks({}, kFrames, kBins, 1, 2, sample));
    hidden += 1 - x.mean().item<double>();
  }
  // One mask of each kind hides 50 / 400 and 13.5 / 80; two of a kind overlap at times, which the plain sum knows
  // nothing of. So: more than one of each, less than the sum of all four.
  EXPECT_GT(hidden / kDraws, 1 - (1 - 0.125) * (1 - 0.169));
  EXPECT_LT(hidden / kDraws, 2 * (0.125 + 0.169));
}

TEST(SpecAugment, MasksAreZerosAndTheRestIsAsItWas) {
  const at::Tensor x = at::arange(1, 1 + 10 * 6, at::kFloat).view({10, 6}), before = x.clone();
  const at::Tensor y = masked(x, {.times = {{2, 3}, {9, 1}}, .frequencies = {{0, 0}, {4, 1}}});
  for (int64_t t = 0; t < 10; ++t) {
    for (int64_t b = 0; b < 6; ++b) {
      const bool hidden = (t >= 2 && t < 5) || t == 9 || b == 4;
      EXPECT_EQ(y[t][b].item<float>(), hidden ? 0 : x[t][b].item<float>()) << t << ' ' << b;
    }
  }
  EXPECT_TRUE(at::equal(x, before));
}

TEST(SpecAugment, IsAFunctionOfSeedDrawAndSample) {
  const auto begins = [](uint64_t seed, uint64_t draw, uint64_t sample) {
    std::vector<int64_t> all;
    const SpecMasks masks = spec_masks({}, kFrames, kBins, seed, draw, sample);
    for (const auto* spans : {&masks.times, &masks.frequencies}) {
      for (const auto& span : *spans) all.push_back(span.begin), all.push_back(span.count);
    }
    return all;
  };
  EXPECT_EQ(begins(1, 2, 3), begins(1, 2, 3));
  EXPECT_NE(begins(1, 2, 3), begins(2, 2, 3));
  EXPECT_NE(begins(1, 2, 3), begins(1, 3, 3));
  EXPECT_NE(begins(1, 2, 3), begins(1, 2, 4));
}

TEST(SpecAugment, WithoutMasksNothingIsHidden) {
  const SpecAugmentOptions none{.time_masks = 0, .frequency_masks = 0};
  const at::Tensor x = at::ones({5, 4});
  EXPECT_TRUE(at::equal(masked(x, spec_masks(none, 5, 4, 1, 2, 3)), x));
}

}  // namespace
}  // namespace plumb::test
