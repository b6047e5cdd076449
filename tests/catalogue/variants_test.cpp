// The table itself: what each row says about itself, and how rows are found. What it says about a place: rule_test.cpp.

#include "plumb/catalogue/variants.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Variants, HaveANameAPaperAnEquationAndAWordOnWarmUp) {
  for (const Variant& row : variants()) {
    EXPECT_FALSE(row.name.empty());
    for (std::string_view text : {row.paper, row.equation, row.extra, row.warmup}) {
      EXPECT_FALSE(text.empty()) << row.name;
      EXPECT_EQ(text.find_first_of("\n\t|"), std::string_view::npos) << row.name << ": would break a table: " << text;
    }
  }
}

TEST(Variants, HaveUniqueNamesInSnakeCase) {
  std::set<std::string_view> names;
  for (const Variant& row : variants()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos) << row.name;
    EXPECT_FALSE(row.name.starts_with('_') || row.name.ends_with('_')) << row.name;
    EXPECT_EQ(row.name.find("__"), std::string_view::npos) << row.name;
  }
}

TEST(Variants, AreListedByNameInTheOrderOfTheTable) {
  ASSERT_EQ(variant_names().size(), variants().size());
  for (size_t i = 0; i < variants().size(); ++i) EXPECT_EQ(variant_names()[i], variants()[i].name);
}

TEST(Variants, AreFoundByTheirNameAndByNothingElse) {
  for (const Variant& row : variants()) EXPECT_EQ(find_variant(row.name), &row);
  for (std::string_view name : {"", "post", "post_l", "post_ln ", "Post_LN", "none", "prenorm"}) {
    EXPECT_EQ(find_variant(name), nullptr) << name;
  }
}

TEST(Variants, OnlyPointAtRowsThatExist) {
  for (const Variant& row : variants()) {
    EXPECT_TRUE(row.folds_into.empty() || find_variant(row.folds_into)) << row.name;
    for (std::string_view placement : row.also_placed_as) EXPECT_NE(find_variant(placement), nullptr) << row.name;
  }
}

// Folding removes skip scales and nothing else: only Post-LN rows whose skip is scaled can fold into Post-LN.
TEST(Variants, ThatFoldIntoPostLnScaleTheirSkip) {
  for (const Variant& row : variants()) {
    if (row.folds_into.empty()) continue;
    EXPECT_EQ(row.folds_into, "post_ln") << row.name;
    EXPECT_TRUE(row.rule.norm_post) << row.name;
    EXPECT_NE(row.rule.r.kind, Factor::Kind::One) << row.name;
  }
}

// mathematics.md 2 and 3.6: the published norm-free rows have no norm anywhere, so `final_norm` may not add one.
TEST(Variants, MayDropTheirFinalNormOnlyIfTheyHaveOne) {
  for (const Variant& row : variants()) {
    EXPECT_TRUE(row.ending.norm || !row.final_norm_is_free) << row.name;
  }
  for (std::string_view name : {"b2t_no_ln", "t_fixup", "rezero", "fixup"}) {
    EXPECT_FALSE(find_variant(name)->final_norm_is_free) << name;
  }
}

TEST(Variants, SayTheirNormsInWords) {
  const std::map<std::string_view, std::string_view> expected = {
      {"post_ln", "post"},
      {"pre_ln", "in + final"},
      {"admin", "post"},
      {"admin_closed", "post"},
      {"b2t", "post"},
      {"b2t_past_norm", "post"},
      {"b2t_no_ln", "none"},
      {"dlcl_pre", "in + history + final"},
      {"dlcl_post", "post + history"},
      {"t_fixup", "none"},
      {"deepnorm", "post"},
      {"rezero", "none"},
      {"rezero_post_ln", "post"},
      {"fixup", "none"},
      {"look_linear", "post"},
      {"ds_init", "post"},
      {"sandwich", "in + out + final"},
      {"residual_dual", "post + final"},
      {"normformer", "in + out + inner + final"},
      {"sub_ln", "in + inner + final"},
      {"layer_scale", "in + final"},
      {"mix_ln", "in + post + final"},
      {"ln_scaling", "in + final"},
      {"hybrid_norm", "post + inner + q,k + final"},
      {"hybrid_norm_star", "in + post + inner + q,k + final"},
      {"olmo2", "out + q,k + final"},
      {"dyt", "in + final"},
  };
  EXPECT_EQ(expected.size(), variants().size());
  for (const Variant& row : variants()) {
    ASSERT_TRUE(expected.contains(row.name)) << row.name << " is missing from the test";
    EXPECT_EQ(norms_in_words(row), expected.at(row.name)) << row.name;
  }
}

/// mathematics.md 2, column "final norm", and the parts of a row that no place can see.
struct Whole {
  std::string_view encoder_end, decoder_end;
  WiringKind wiring = WiringKind::Chain;
  NormKind norm = NormKind::Layer;
  QkNorm qk_norm = QkNorm::None;
};

std::string in_words(const Ending& ending) {
  std::string words;
  if (ending.norm) words += "norm ";
  if (ending.scale) words += "scale ";
  if (ending.shift) words += "shift ";
  return words.empty() ? "nothing" : words.substr(0, words.size() - 1);
}

TEST(Variants, EndTheirStacksAndWireTheirLayersAsTheSpecificationSays) {
  const Whole plain{"nothing", "nothing"}, normed{"norm", "norm"};
  const std::map<std::string_view, Whole> expected = {
      {"post_ln", plain},
      {"pre_ln", normed},
      {"admin", plain},
      {"admin_closed", plain},
      {"b2t", plain},
      {"b2t_past_norm", plain},
      {"b2t_no_ln", plain},
      {"dlcl_pre", {"norm", "norm", WiringKind::DlclPre}},
      {"dlcl_post", {"nothing", "nothing", WiringKind::DlclPost}},
      {"t_fixup", plain},
      {"deepnorm", plain},
      {"rezero", plain},
      {"rezero_post_ln", plain},
      {"fixup", {"scale shift", "shift"}},
      {"look_linear", plain},
      {"ds_init", plain},
      {"sandwich", normed},
      {"residual_dual", {"norm", "norm", WiringKind::Dual}},
      {"normformer", normed},
      {"sub_ln", normed},
      {"layer_scale", normed},
      {"mix_ln", normed},
      {"ln_scaling", normed},
      {"hybrid_norm", {"norm", "norm", WiringKind::Chain, NormKind::Layer, QkNorm::Head}},
      {"hybrid_norm_star", {"norm", "norm", WiringKind::Chain, NormKind::Layer, QkNorm::Head}},
      {"olmo2", {"norm", "norm", WiringKind::Chain, NormKind::Rms, QkNorm::Full}},
      {"dyt", {"norm", "norm", WiringKind::Chain, NormKind::Dyt}},
  };
  for (const Variant& row : variants()) {
    ASSERT_TRUE(expected.contains(row.name)) << row.name << " is missing from the test";
    const Whole& whole = expected.at(row.name);
    EXPECT_EQ(in_words(ending_of(row, Stack::Encoder)), whole.encoder_end) << row.name;
    EXPECT_EQ(in_words(ending_of(row, Stack::Decoder)), whole.decoder_end) << row.name;
    EXPECT_EQ(row.wiring, whole.wiring) << row.name;
    EXPECT_EQ(row.norm, whole.norm) << row.name;
    EXPECT_EQ(row.qk_norm, whole.qk_norm) << row.name;
    EXPECT_EQ(row.profiled, row.name == "admin") << row.name;
    EXPECT_EQ(row.mirrored_ffn, row.name == "look_linear") << row.name;
  }
}

}  // namespace
}  // namespace plumb
