#include "plumb/catalogue/probes.h"

#include <set>

#include <gtest/gtest.h>

namespace plumb::test {
namespace {

TEST(Probes, HaveEverythingThatAPersonNeedsToKnow) {
  std::set<std::string_view> names;
  for (const ProbeRow& row : probes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.paper.empty()) << row.name;
    EXPECT_FALSE(row.reads.empty()) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
    std::set<std::string_view> numbers;
    for (const ProbeRow::Number& number : row.numbers) {
      EXPECT_TRUE(numbers.insert(number.name).second) << number.name;
      EXPECT_GT(number.meaning.size(), 4u) << number.name;
    }
    EXPECT_EQ(find_probe(row.name), &row);
  }
  EXPECT_EQ(find_probe("nothing"), nullptr);
}

TEST(Probes, TellAChartWhatItCannotKnow) {
  for (const ProbeRow& row : probes()) {
    for (const ProbeRow::Number& number : row.numbers) {
      EXPECT_EQ(find_number(row.name, number.name), &number);
      const bool map = number.chart == ProbeRow::Chart::Map, bound = number.chart == ProbeRow::Chart::Bound;
      EXPECT_EQ(!number.words.of.empty(), map || bound) << number.name;
      EXPECT_EQ(!number.words.legend.empty(), map || bound) << number.name;
      for (const std::string_view text : {number.words.title, number.words.x, number.words.y}) {
        EXPECT_EQ(!text.empty(), map) << number.name;
      }
      if (bound) {
        EXPECT_NE(find_number(row.name, number.words.of), nullptr) << number.name;
      }
    }
  }
  EXPECT_EQ(find_number("nothing", "loss"), nullptr);
  EXPECT_EQ(find_number("gradient_norm", "nothing"), nullptr);
}

}  // namespace
}  // namespace plumb::test
