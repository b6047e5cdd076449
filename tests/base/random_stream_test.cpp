#include "plumb/base/random_stream.h"

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

// Known answers of Random123 (tests/kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, IsUsableInConstantExpressions) {
  static_assert(philox4x32({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
}

TEST(RandomStream, IsTwoWordsOfEachPhiloxBlockLowHalfFirst) {
  RandomStream stream(7, "init");
  const PhiloxCounter first = philox4x32({0, 0, 0, 0}, stream.key());
  const PhiloxCounter second = philox4x32({1, 0, 0, 0}, stream.key());
  EXPECT_EQ(stream.bits(), uint64_t{first[1]} << 32 | first[0]);
  EXPECT_EQ(stream.bits(), uint64_t{first[3]} << 32 | first[2]);
  EXPECT_EQ(stream.bits(), uint64_t{second[1]} << 32 | second[0]);
}

// A changed derivation would silently change every experiment ever seeded: these words are pinned.
TEST(RandomStream, NeverChangesItsFirstWords) {
  EXPECT_EQ(RandomStream(0, "").bits(), 0x9761fa788a1d4c20);
  EXPECT_EQ(RandomStream(1, "dropout").bits(), 0x9c45b25735c26a85);
}

TEST(RandomStream, DependsOnSeedAndNameOnly) {
  std::set<uint64_t> firsts;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (const char* name : {"", "init", "inis", "dropout", "shuffle"}) firsts.insert(RandomStream(seed, name).bits());
  }
  EXPECT_EQ(firsts.size(), 500u);

  RandomStream init(3, "init"), other(3, "dropout");
  for (int i = 0; i < 5; ++i) other.bits();
  EXPECT_EQ(init.bits(), RandomStream(3, "init").bits());
}

TEST(RandomStream, ResumesExactlyFromItsCounter) {
  for (int before : {0, 1, 2, 7}) {  // odd counters stand in the middle of a block
    RandomStream stream(11, "data");
    for (int i = 0; i < before; ++i) stream.bits();
    const RandomStream::State saved = stream.state();
    EXPECT_EQ(saved.counter, static_cast<uint64_t>(before));
    std::vector<double> expected;
    for (int i = 0; i < 5; ++i) expected.push_back(stream.normal() + stream.uniform());

    RandomStream resumed(11, "data");
    resumed.set_state(saved);
    for (double value : expected) EXPECT_EQ(resumed.normal() + resumed.uniform(), value);
    EXPECT_EQ(resumed.state(), stream.state());
  }
}

TEST(RandomStream, ReachesCountersBeyond32Bits) {
  RandomStream stream(1, "far");
  stream.set_state({uint64_t{1} << 40});
  const PhiloxCounter block = philox4x32({0, 1u << 7, 0, 0}, stream.key());
  EXPECT_EQ(stream.bits(), uint64_t{block[1]} << 32 | block[0]);
}

TEST(RandomStream, UniformIsInTheHalfOpenUnitIntervalWithTheRightMoments) {
  RandomStream stream(5, "uniform");
  const int n = 200'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));  // five standard errors
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(RandomStream, NormalHasTheMomentsOfTheStandardNormal) {
  RandomStream stream(5, "normal");
  const int n = 200'000;
  std::array<double, 5> moment{};
  for (int i = 0; i < n; ++i) {
    const double z = stream.normal();
    ASSERT_TRUE(std::isfinite(z));
    for (size_t k = 1; k < 5; ++k) moment[k] += std::pow(z, static_cast<double>(k)) / n;
  }
  EXPECT_NEAR(moment[1], 0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(moment[2], 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(moment[3], 0, 5 * std::sqrt(15.0 / n));
  EXPECT_NEAR(moment[4], 3, 5 * std::sqrt(96.0 / n));
}

TEST(RandomStream, BelowIsEvenlySpreadAndRefusesZero) {
  RandomStream stream(5, "below");
  std::array<int, 6> seen{};
  const int n = 60'000;
  for (int i = 0; i < n; ++i) ++seen.at(stream.below(6));
  double chi = 0;
  for (int count : seen) chi += (count - n / 6.0) * (count - n / 6.0) / (n / 6.0);
  EXPECT_LT(chi, 25.7);  // 5 degrees of freedom, one in ten thousand
  EXPECT_EQ(stream.below(1), 0u);
  EXPECT_THROW(stream.below(0), std::logic_error);
}

// With limit = 3 * 2^62 a plain remainder would put half of all results into the first third.
TEST(RandomStream, BelowIsUnbiasedForHugeLimits) {
  RandomStream stream(5, "below");
  const uint64_t third = uint64_t{1} << 62;
  int low = 0;
  const int n = 30'000;
  for (int i = 0; i < n; ++i) low += stream.below(3 * third) < third;
  EXPECT_NEAR(low, n / 3.0, 5 * std::sqrt(n * 2.0 / 9));
}

}  // namespace
}  // namespace plumb
