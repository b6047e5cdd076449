#include "plumb/metric/classification.h"

#include <gtest/gtest.h>

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

BinaryCounts count_all(const Lines& predictions, const Lines& labels) {
  BinaryCounts sum;
  for (size_t i = 0; i < labels.size(); ++i) sum += count_binary(predictions[i], labels[i]);
  return sum;
}

// The examples in the documentation of Hugging Face's evaluate (accuracy, f1), which calls scikit-learn.
TEST(Classification, EqualsThePublishedNumbersOfScikitLearn) {
  EXPECT_NEAR(accuracy(Lines{"0", "1", "1", "2", "1", "0"}, Lines{"0", "1", "2", "0", "1", "2"}), 50, kTolerance);
  EXPECT_NEAR(count_all({"0", "0", "1", "1", "0"}, {"0", "1", "0", "1", "0"}).f1(), 50, kTolerance);
}

TEST(Classification, F1IsTheHarmonicMeanOfPrecisionAndRecall) {
  // Three of four found are right, three of five are found.
  const BinaryCounts counts = count_all({"1", "1", "1", "1", "0", "0", "0"}, {"1", "1", "1", "0", "1", "1", "0"});
  EXPECT_NEAR(counts.precision(), 75, kTolerance);
  EXPECT_NEAR(counts.recall(), 60, kTolerance);
  EXPECT_NEAR(counts.f1(), 2 / (1 / 75. + 1 / 60.), kTolerance);
}

TEST(Classification, WithoutPositivesIsZeroAndNotNaN) {
  const BinaryCounts counts = count_all({"0", "0"}, {"0", "0"});
  EXPECT_EQ(counts.precision(), 0);
  EXPECT_EQ(counts.recall(), 0);
  EXPECT_EQ(counts.f1(), 0);
  EXPECT_EQ(accuracy(Lines{}, Lines{}), 0);
}

TEST(Classification, IgnoresWhiteSpaceAtTheEnds) {
  EXPECT_TRUE(same_answer(" yes\t", "yes"));
  EXPECT_FALSE(same_answer("y es", "yes"));
  EXPECT_EQ(count_binary("1 ", "\u00A01").true_positives, 1);
  EXPECT_THROW(accuracy(Lines(1), Lines(2)), std::invalid_argument);
}

TEST(Classification, ExactMatchTakesAnyReference) {
  for (const auto& one : golden_scores()["cases"]) {
    EXPECT_EQ(exact_match(one["hypothesis"].get<std::string>(), one["references"].get<Lines>()),
              one["exact"].get<bool>())
        << one["name"];
  }
  EXPECT_TRUE(exact_match("b", Lines{"a", "b"}));
  EXPECT_FALSE(exact_match("B", Lines{"a", "b"}));
}

}  // namespace
}  // namespace plumb::test
