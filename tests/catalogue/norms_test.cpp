#include "plumb/catalogue/norms.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Norms, AreTheRowsOfTheirKinds) {
  ASSERT_EQ(norms().size(), words<NormKind>().size());
  for (const NormRow& row : norms()) {
    EXPECT_EQ(&norm_row(row.kind), &row);
    EXPECT_EQ(word(row.kind), row.name);
    EXPECT_FALSE(row.formula.empty()) << row.name;
  }
}

TEST(Norms, SayWhatTheyLearn) {
  EXPECT_EQ(parameters_in_words(norm_row(NormKind::Layer)), "2n");
  EXPECT_EQ(parameters_in_words(norm_row(NormKind::Rms)), "n");
  EXPECT_EQ(parameters_in_words(norm_row(NormKind::Scale)), "1");
  EXPECT_EQ(parameters_in_words(norm_row(NormKind::Dyt)), "2n + 1");
}

TEST(Norms, SayWhereTheirPartsStartUnlessItIsOneAndZero) {
  EXPECT_EQ(formula_with_first_values(norm_row(NormKind::Layer)), "weight * (x - mean) / sqrt(variance + eps) + bias");
  EXPECT_EQ(formula_with_first_values(norm_row(NormKind::Scale)),
            "weight * x / max(|x|, eps), weight = sqrt(n) initially");
  EXPECT_EQ(formula_with_first_values(norm_row(NormKind::Dyt)),
            "weight * tanh(alpha * x) + bias, alpha = 0.5 initially");
  EXPECT_EQ(norm_row(NormKind::Scale).weight.first_value(6), std::sqrt(6.0));
  EXPECT_EQ(norm_row(NormKind::Layer).weight.first_value(6), 1);
}

// An epsilon stands in the formulas of those that have one, and nowhere else.
TEST(Norms, HaveAnEpsilonIfTheirFormulaHasOne) {
  for (const NormRow& row : norms()) {
    EXPECT_EQ(row.eps > 0, row.formula.find("eps") != std::string_view::npos) << row.name;
    EXPECT_EQ(row.bias.has_value(), row.formula.find("bias") != std::string_view::npos) << row.name;
    EXPECT_EQ(row.alpha.has_value(), row.formula.find("alpha") != std::string_view::npos) << row.name;
  }
  EXPECT_EQ(norm_row(NormKind::Layer).eps, 1e-5);
  EXPECT_EQ(norm_row(NormKind::Rms).eps, 1e-6);
}

TEST(Norms, TakeScalesOfFeaturesWhereEveryFeatureHasAWeight) {
  EXPECT_TRUE(norm_row(NormKind::Layer).takes_feature_scales());
  EXPECT_FALSE(norm_row(NormKind::Scale).takes_feature_scales());
}

}  // namespace
}  // namespace plumb
