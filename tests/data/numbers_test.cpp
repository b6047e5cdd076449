#include "plumb/data/numbers.h"

#include <set>

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

TEST(Numbers, HaveTheirEnglishWords) {
  EXPECT_EQ(english_number(0), "zero");
  EXPECT_EQ(english_number(7), "seven");
  EXPECT_EQ(english_number(13), "thirteen");
  EXPECT_EQ(english_number(40), "forty");
  EXPECT_EQ(english_number(99), "ninety-nine");
  EXPECT_EQ(english_number(421), "four hundred twenty-one");
  EXPECT_EQ(english_number(1000), "one thousand");
  EXPECT_EQ(english_number(17060), "seventeen thousand sixty");
  EXPECT_EQ(english_number(900001), "nine hundred thousand one");
  EXPECT_EQ(english_number(1234567), "one million two hundred thirty-four thousand five hundred sixty-seven");
}

TEST(Numbers, HaveTheirGermanWords) {
  EXPECT_EQ(german_number(0), "null");
  EXPECT_EQ(german_number(1), "eins");
  EXPECT_EQ(german_number(12), "zwölf");
  EXPECT_EQ(german_number(16), "sechzehn");
  EXPECT_EQ(german_number(17), "siebzehn");
  EXPECT_EQ(german_number(21), "einundzwanzig");
  EXPECT_EQ(german_number(30), "dreißig");
  EXPECT_EQ(german_number(67), "siebenundsechzig");
  EXPECT_EQ(german_number(100), "einhundert");
  EXPECT_EQ(german_number(101), "einhunderteins");
  EXPECT_EQ(german_number(421), "vierhunderteinundzwanzig");
  EXPECT_EQ(german_number(1001), "eintausendeins");
  EXPECT_EQ(german_number(21000), "einundzwanzigtausend");
  EXPECT_EQ(german_number(101000), "einhunderteintausend");
  EXPECT_EQ(german_number(421700), "vierhunderteinundzwanzigtausendsiebenhundert");
  EXPECT_EQ(german_number(1000000), "eine Million");
  EXPECT_EQ(german_number(2000011), "zwei Millionen elf");
}

TEST(Numbers, OutsideTheRangeAreRefused) {
  EXPECT_THROW(english_number(-1), UserError);
  EXPECT_THROW(german_number(1'000'000'000), UserError);
}

TEST(Numbers, DifferentNumbersHaveDifferentWords) {
  std::set<std::string> english, german;
  for (int64_t n = 0; n < 20000; ++n) {
    EXPECT_TRUE(english.insert(english_number(n)).second) << n;
    EXPECT_TRUE(german.insert(german_number(n)).second) << n;
  }
}

TEST(NumberPairs, OfDifferentSplitsShareNoNumber) {
  const NumberPairs train = number_pairs(Split::Train, 5000, 999'999, 1);
  const NumberPairs valid = number_pairs(Split::Valid, 500, 999'999, 1);
  const NumberPairs test = number_pairs(Split::Test, 500, 999'999, 1);
  std::set<int64_t> all;
  for (const NumberPairs* pairs : {&train, &valid, &test}) {
    for (int64_t number : pairs->numbers) EXPECT_TRUE(all.insert(number).second) << number;
  }
  // Even under another seed: a number belongs to its split for good.
  for (int64_t number : number_pairs(Split::Test, 500, 999'999, 2).numbers) EXPECT_EQ(split_of(number), Split::Test);
}

TEST(NumberPairs, DependOnTheSeedAndNothingElse) {
  EXPECT_EQ(number_pairs(Split::Train, 100, 9999, 1).numbers, number_pairs(Split::Train, 100, 9999, 1).numbers);
  EXPECT_NE(number_pairs(Split::Train, 100, 9999, 1).numbers, number_pairs(Split::Train, 100, 9999, 2).numbers);
  const NumberPairs pairs = number_pairs(Split::Valid, 20, 999'999, 3);
  for (size_t i = 0; i < pairs.numbers.size(); ++i) {
    EXPECT_EQ(pairs.english[i], english_number(pairs.numbers[i]));
    EXPECT_EQ(pairs.german[i], german_number(pairs.numbers[i]));
  }
}

TEST(NumberPairs, SayWhenThereAreNotEnough) {
  EXPECT_THROW(number_pairs(Split::Test, 100, 99, 1), UserError);
}

}  // namespace
}  // namespace plumb
