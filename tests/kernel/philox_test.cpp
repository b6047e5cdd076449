#include "plumb/kernel/philox.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/tests/hwy_gtest.h>

#include "plumb/base/random_stream.h"

namespace plumb::kernel {
namespace {

constexpr float kUnwritten = -7;

/// The definition: one call of the generator for each element.
float factor(const DropoutKey& key, uint64_t sample, uint32_t position, uint32_t lane, int64_t i) {
  const PhiloxCounter words = philox4x32({static_cast<uint32_t>(i / 4), position, static_cast<uint32_t>(sample), lane},
                                         {key.key0, key.key1 ^ static_cast<uint32_t>(sample >> 32)});
  return words[i % 4] < key.threshold ? 0 : key.scale;
}

class KeepFactors : public hwy::TestWithParamTarget {
 protected:
  /// Element by element, and nothing beyond the last.
  void expect_line(const DropoutKey& key, uint64_t sample, uint32_t position, uint32_t lane, int64_t n) {
    std::vector<float> factors(static_cast<size_t>(n + 40), kUnwritten);
    keep_factors(key, sample, position, lane, factors.data(), n);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(factors[i], factor(key, sample, position, lane, i)) << "element " << i << " of " << n;
    }
    EXPECT_EQ(std::count(factors.begin() + n, factors.end(), kUnwritten), 40) << n;
  }
};

constexpr DropoutKey kTenth{.key0 = 0x243F6A88, .key1 = 0x85A308D3, .threshold = 429496729, .scale = 1 / 0.9F};

TEST_P(KeepFactors, AreThoseOfTheGeneratorForEveryLength) {
  for (int64_t n = 0; n <= 140; ++n) expect_line(kTenth, 12, 34, 5, n);
  for (int64_t n : {255, 256, 257, 511, 1000, 4099}) expect_line(kTenth, 12, 34, 5, n);
}

TEST_P(KeepFactors, UseEveryBitOfTheName) {
  for (uint64_t sample : {0ULL, 1ULL, 0xFFFFFFFFULL, 0x100000000ULL, 0xFEDCBA9876543210ULL, ~0ULL}) {
    for (uint32_t position : {0U, 1U, 0x80000001U, ~0U}) {
      for (uint32_t lane : {0U, 7U, ~0U}) expect_line(kTenth, sample, position, lane, 67);
    }
  }
}

TEST_P(KeepFactors, ObeyTheThreshold) {
  for (uint64_t threshold : {0ULL, 1ULL, 0x7FFFFFFFULL, 0x80000000ULL, 0x80000001ULL, 0xFFFFFFFFULL, 0x100000000ULL}) {
    expect_line({.key0 = 1, .key1 = 2, .threshold = threshold, .scale = 3}, 4, 5, 6, 300);
  }
}

TEST_P(KeepFactors, DropTheRightShare) {
  std::vector<float> factors(100000);
  keep_factors(kTenth, 1, 2, 3, factors.data(), std::ssize(factors));
  const auto dropped = static_cast<double>(std::count(factors.begin(), factors.end(), 0.0F));
  EXPECT_NEAR(dropped / 1e5, 0.1, 5e-3);
}

HWY_TARGET_INSTANTIATE_TEST_SUITE_P(KeepFactors);

}  // namespace
}  // namespace plumb::kernel
