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

}  // namespace
}  // namespace plumb::test
