#include "plumb/data/split.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Split, TakesEightOfTenForTrainingAndOneForEachOther) {
  std::array<int, 3> numbers{}, texts{};
  for (int64_t i = 0; i < 100'000; ++i) {
    ++numbers[static_cast<size_t>(split_of(i))];
    ++texts[static_cast<size_t>(split_of("headline " + std::to_string(i)))];
  }
  for (const auto& counts : {numbers, texts}) {  // the deviation of a binomial count is about 100
    EXPECT_NEAR(counts[0], 80'000, 600);
    EXPECT_NEAR(counts[1], 10'000, 500);
    EXPECT_NEAR(counts[2], 10'000, 500);
  }
}

// What was trained on last year must not be tested on today. The values are those of a few lines of Python.
TEST(Split, StaysAsItIs) {
  EXPECT_EQ(split_of(0), Split::Train);
  EXPECT_EQ(split_of(2), Split::Test);
  EXPECT_EQ(split_of(15), Split::Valid);
  EXPECT_EQ(split_of(""), Split::Train);
  EXPECT_EQ(split_of("b"), Split::Test);
  EXPECT_EQ(split_of("text 1"), Split::Valid);
  EXPECT_EQ(split_of("text 12"), Split::Test);
  EXPECT_EQ(name_of(Split::Train), "train");
  EXPECT_EQ(name_of(Split::Valid), "valid");
  EXPECT_EQ(name_of(Split::Test), "test");
}

}  // namespace
}  // namespace plumb
