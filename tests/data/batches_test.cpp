#include "plumb/data/batches.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "plumb/base/random_stream.h"

namespace plumb {
namespace {

std::vector<PairLengths> random_lengths(size_t count) {
  RandomStream random(1, "lengths");
  std::vector<PairLengths> lengths(count);
  for (PairLengths& pair : lengths) {
    pair.source = 1 + static_cast<int64_t>(random.below(40));
    pair.target = 1 + static_cast<int64_t>(random.below(40));
  }
  return lengths;
}

void expect_partition(const std::vector<SentenceList>& batches, size_t count) {
  std::set<int64_t> seen;
  for (const SentenceList& batch : batches) {
    EXPECT_FALSE(batch.empty());
    for (int64_t sentence : batch) EXPECT_TRUE(seen.insert(sentence).second) << sentence;
  }
  EXPECT_EQ(seen.size(), count);
}

PairLengths rows(const SentenceList& batch, const std::vector<PairLengths>& lengths) {
  PairLengths sum;
  for (int64_t sentence : batch) {
    sum.source += lengths[static_cast<size_t>(sentence)].source;
    sum.target += lengths[static_cast<size_t>(sentence)].target;
  }
  return sum;
}

TEST(Batches, HoldEverySentenceOnceAndKeepTheBudget) {
  const std::vector<PairLengths> lengths = random_lengths(1000);
  for (const auto& batches : {epoch_batches(lengths, 300, 1, 0), ordered_batches(lengths, 300)}) {
    expect_partition(batches, 1000);
    for (const SentenceList& batch : batches) EXPECT_LE(rows(batch, lengths).longest(), 300);
  }
}

TEST(Batches, AreNearlyFull) {
  const std::vector<PairLengths> lengths = random_lengths(5000);
  const std::vector<SentenceList> batches = epoch_batches(lengths, 500, 1, 0);
  double used = 0;
  for (const SentenceList& batch : batches) used += static_cast<double>(rows(batch, lengths).longest());
  EXPECT_GT(used / (500.0 * static_cast<double>(batches.size())), 0.93);
}

TEST(Batches, AreAFunctionOfSeedAndEpoch) {
  const std::vector<PairLengths> lengths = random_lengths(300);
  EXPECT_EQ(epoch_batches(lengths, 200, 1, 3), epoch_batches(lengths, 200, 1, 3));
  EXPECT_NE(epoch_batches(lengths, 200, 1, 3), epoch_batches(lengths, 200, 1, 4));
  EXPECT_NE(epoch_batches(lengths, 200, 1, 3), epoch_batches(lengths, 200, 2, 3));
}

TEST(Batches, PutSentencesOfLikeLengthTogether) {
  const std::vector<PairLengths> lengths = random_lengths(4000);
  for (const SentenceList& batch : epoch_batches(lengths, 400, 1, 0)) {
    const auto source = [&](int64_t i) { return lengths[static_cast<size_t>(i)].source; };
    const auto [least, most] = std::ranges::minmax(batch, {}, source);
    EXPECT_LE(source(most) - source(least), 3);
  }
}

TEST(Batches, GiveASentenceBeyondTheBudgetABatchOfItsOwn) {
  const std::vector<PairLengths> lengths = {{3, 3}, {900, 2}, {4, 4}};
  const std::vector<SentenceList> batches = ordered_batches(lengths, 100);
  EXPECT_EQ(batches.front(), SentenceList{1});
  expect_partition(batches, 3);
}

// Attention makes a rectangle of a batch: count * longest must not exceed the budget many times over.
TEST(Batches, KeepALongSentenceFromManyShortOnes) {
  std::vector<PairLengths> lengths(800, {4, 5});
  lengths[17] = {900, 800};
  lengths[300] = {4, 700};
  for (const auto& batches : {epoch_batches(lengths, 1000, 1, 0), ordered_batches(lengths, 1000)}) {
    expect_partition(batches, 800);
    for (const SentenceList& batch : batches) {
      int64_t longest = 0;
      for (int64_t i : batch) longest = std::max(longest, lengths[static_cast<size_t>(i)].longest());
      EXPECT_LE(std::ssize(batch) * longest, 4 * 1000);
    }
    EXPECT_LE(batches.size(), 8u);  // and not one for each
  }
}

TEST(Batches, OfNothingAreNone) {
  EXPECT_TRUE(epoch_batches({}, 100, 1, 0).empty());
}

}  // namespace
}  // namespace plumb
