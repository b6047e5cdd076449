#include "plumb/metric/edit_distance.h"

#include <cmath>

#include <gtest/gtest.h>

#include "metric/support/golden.h"

namespace plumb::test {
namespace {

Edits edits_of(const nlohmann::json& numbers) {
  return {numbers[0].get<int64_t>(), numbers[1].get<int64_t>(), numbers[2].get<int64_t>(), numbers[3].get<int64_t>()};
}

TEST(EditDistance, OfEverySentenceIsTheGoldenOne) {
  Edits words, characters;
  for (const auto& one : golden_scores()["cases"]) {
    const std::string hypothesis = one["hypothesis"], reference = one["references"][0];
    EXPECT_EQ(word_edits(hypothesis, reference), edits_of(one["word_edits"])) << one["name"];
    EXPECT_EQ(character_edits(hypothesis, reference), edits_of(one["character_edits"])) << one["name"];
    words += word_edits(hypothesis, reference);
    characters += character_edits(hypothesis, reference);
  }
  const auto& corpus = golden_scores()["corpus"];
  EXPECT_EQ(words, edits_of(corpus["word_edits"]["edits"]));
  EXPECT_NEAR(words.rate(), corpus["word_edits"]["rate"].get<double>(), kTolerance);
  EXPECT_EQ(characters, edits_of(corpus["character_edits"]["edits"]));
  EXPECT_NEAR(characters.rate(), corpus["character_edits"]["rate"].get<double>(), kTolerance);
}

// The examples in the documentation of Hugging Face's evaluate, which calls jiwer.
TEST(EditDistance, EqualsThePublishedNumbersOfJiwer) {
  const Lines hypotheses = {"this is the prediction", "there is an other sample"};
  const Lines references = {"this is the reference", "there is another one"};
  Edits words, characters;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    words += word_edits(hypotheses[i], references[i]);
    characters += character_edits(hypotheses[i], references[i]);
  }
  EXPECT_NEAR(words.rate(), 50, kTolerance);
  EXPECT_NEAR(characters.rate(), 34.146341463414637, kTolerance);
}

TEST(EditDistance, CountsTheThreeKinds) {
  EXPECT_EQ(word_edits("a x c", "a b c"), (Edits{1, 0, 0, 3}));
  EXPECT_EQ(word_edits("a c", "a b c"), (Edits{0, 1, 0, 3}));
  EXPECT_EQ(word_edits("a b b c", "a b c"), (Edits{0, 0, 1, 3}));
  EXPECT_EQ(word_edits("", "a b"), (Edits{0, 2, 0, 2}));
  EXPECT_EQ(word_edits("a b", " "), (Edits{0, 0, 2, 0}));
  EXPECT_EQ(character_edits("kitten", "sitting"), (Edits{2, 1, 0, 7}));
  EXPECT_EQ(character_edits("größe", "grösse"), (Edits{1, 1, 0, 6}));
}

TEST(EditDistance, PrefersSubstitutionsWhereTheAlignmentIsOpen) {
  EXPECT_EQ(word_edits("b a", "a b"), (Edits{2, 0, 0, 2})) << "one deletion and one insertion would do as well";
}

TEST(EditDistance, WithoutAReferenceIsNoOrdinaryNumber) {
  EXPECT_EQ(word_edits("", "").rate(), 0);
  EXPECT_TRUE(std::isinf(word_edits("a", "").rate()));
  EXPECT_GT(word_edits("a b c", "x").rate(), 100);
}

}  // namespace
}  // namespace plumb::test
