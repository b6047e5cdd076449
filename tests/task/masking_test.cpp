#include "plumb/task/masking.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "plumb/catalogue/special_ids.h"

namespace plumb {
namespace {

std::vector<std::string> vocabulary() {
  std::vector<std::string> tokens = {"<s>", "<pad>", "</s>", "<unk>"};
  for (int i = 4; i < 1000; ++i) tokens.push_back((i % 2 == 0 ? "\u2581w" : "x") + std::to_string(i));
  return tokens;
}

std::vector<int64_t> text(int64_t length) {
  std::vector<int64_t> ids = {kBos};
  for (int64_t i = 0; i < length; ++i) ids.push_back(4 + i * 7 % 996);
  ids.push_back(kEos);
  return ids;
}

/// How far a count may be from its expectation: five deviations.
double bound(double n, double p) {
  return 5 * std::sqrt(n * p * (1 - p));
}

TEST(Masking, RatesAreThoseOfTheConfig) {
  const MaskedLmConfig config;
  const Masking masking(config, vocabulary());
  RandomStream random(1, "test");
  const std::vector<int64_t> before = text(60'000);
  std::vector<int64_t> ids = before;
  const std::vector<int64_t> chosen = masking.mask(ids, 0, random);
  const double n = 60'000, k = static_cast<double>(chosen.size());
  EXPECT_NEAR(k, n * 0.15, bound(n, 0.15));
  double same = 0, masks = 0;
  for (int64_t row : chosen) {
    const auto at = static_cast<size_t>(row);
    same += ids[at] == before[at];
    masks += ids[at] == masking.mask_id();
    EXPECT_GE(ids[at], kSpecials);
    EXPECT_LE(ids[at], masking.mask_id());
  }
  EXPECT_NEAR(masks, k * 0.8, bound(k, 0.8));
  EXPECT_NEAR(same, k * 0.1 + k * 0.1 / 996, bound(k, 0.1));
  const std::set<int64_t> rows(chosen.begin(), chosen.end());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (rows.contains(static_cast<int64_t>(i))) continue;
    EXPECT_EQ(ids[i], before[i]);
  }
  EXPECT_FALSE(rows.contains(0));  // [CLS]
  EXPECT_FALSE(rows.contains(static_cast<int64_t>(ids.size()) - 1));
}

TEST(Masking, TakesWholeWordsIfAsked) {
  MaskedLmConfig config;
  config.whole_words = true;
  const Masking masking(config, vocabulary());
  RandomStream random(1, "test");
  std::vector<int64_t> ids = text(20'000);
  const std::vector<int64_t> before = ids;
  const std::vector<int64_t> chosen = masking.mask(ids, 0, random);
  const std::set<int64_t> rows(chosen.begin(), chosen.end());
  // A piece with an odd number goes on with the word before it: both are chosen, or neither.
  for (int64_t row = 2; row + 1 < std::ssize(before); ++row) {
    const bool continues = before[static_cast<size_t>(row)] % 2 == 1;
    EXPECT_TRUE(!continues || rows.contains(row) == rows.contains(row - 1)) << row;
  }
  EXPECT_NEAR(static_cast<double>(chosen.size()), 3000, 2 * bound(20'000, 0.15));
}

TEST(Masking, ChoosesOneAtLeast) {
  MaskedLmConfig config;
  config.mask_prob = 0;
  const Masking masking(config, vocabulary());
  RandomStream random(1, "test");
  std::vector<int64_t> ids = text(3), none = {kBos, kEos};
  EXPECT_EQ(masking.mask(ids, 0, random).size(), 1u);
  EXPECT_TRUE(masking.mask(none, 0, random).empty());
}

TEST(Masking, WordsWithoutMarksAreWordsEach) {
  MaskedLmConfig config;
  config.whole_words = true;
  const Masking masking(config, {"<s>", "<pad>", "</s>", "<unk>", "red", "green", "blue"});
  RandomStream random(1, "test");
  std::vector<int64_t> ids(10'000, 5);
  const auto chosen = masking.mask(ids, 0, random);
  EXPECT_NEAR(static_cast<double>(chosen.size()), 1500, bound(10'000, 0.15));
}

}  // namespace
}  // namespace plumb
