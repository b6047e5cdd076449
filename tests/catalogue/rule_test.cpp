// Each row at each place of a 60-12 model of width 512, against a table written by hand from mathematics.md 2 to 4.

#include "plumb/catalogue/rule.h"

#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plumb/catalogue/variants.h"

namespace plumb {
namespace {

std::string in_words(const char* letter, const Factor& factor) {
  switch (factor.kind) {
    case Factor::Kind::One:
      return "";
    case Factor::Kind::Constant:
      return fmt::format("{}={:.4g} ", letter, factor.value);
    case Factor::Kind::LayerScalar:
      return fmt::format("{}=layer({:.4g}) ", letter, factor.value);
    case Factor::Kind::Scalar:
      return fmt::format("{}=scalar({:.4g}) ", letter, factor.value);
    case Factor::Kind::Vector:
      return fmt::format("{}=vector({:.4g}) ", letter, factor.value);
  }
  return "?";
}

/// What differs from a bare x + F(x), in the order of the equation, then what stands inside F.
std::string in_words(const Rule& rule) {
  std::string words;
  const auto flag = [&](bool there, const char* word) {
    if (there) words += std::string(word) + ' ';
  };
  const auto number = [&](const char* letter, double value, double usual) {
    if (value != usual) words += fmt::format("{}={:.4g} ", letter, value);
  };
  flag(rule.input_shift, "shift");
  flag(rule.norm_in, "in");
  number("c", rule.c_in, 1);
  flag(rule.norm_out, "out");
  words += in_words("r", rule.r) + in_words("g", rule.g);
  number("alpha", rule.alpha, 0);
  number("beta", rule.beta, 1);
  flag(rule.norm_post, "post");
  number("alpha_out", rule.alpha_out, 0);
  flag(rule.head_scale, "head_scale");
  flag(rule.heads_norm, "heads_norm");
  flag(rule.value_norm, "value_norm");
  flag(rule.hidden_norm, "hidden_norm");
  flag(rule.hidden_shifts, "hidden_shifts");
  flag(!rule.biases, "no_biases");
  return words.empty() ? "bare" : words.substr(0, words.size() - 1);
}

/// The sub-layers of one stack, in its first and its last layer.
struct Layers {
  std::string self, cross, ffn;
};
struct Sites {
  Layers first_encoder, last_encoder, first_decoder, last_decoder;
};

Sites everywhere(const std::string& rule) {
  const Layers all{rule, rule, rule};
  return {all, all, all, all};
}
Sites by_sublayer(const Layers& layer) {
  return {layer, layer, layer, layer};
}
Sites by_stack(const Layers& encoder, const Layers& decoder) {
  return {encoder, encoder, decoder, decoder};
}
Sites by_depth(const std::string& first, const std::string& last_encoder, const std::string& last_decoder) {
  return {{first, first, first},
          {last_encoder, last_encoder, last_encoder},
          {first, first, first},
          {last_decoder, last_decoder, last_decoder}};
}

// Numbers: DeepNorm and B2T without LN for 60-12 are published (mathematics.md 3.9, 3.6), as is Admin's for 36
// sub-layers; Admin's for 120 is sqrt(121 / ln 121 - 1) = sqrt(24.2305), 1/sqrt(60) = 0.1291, 1/sqrt(12) = 0.2887.
const std::map<std::string_view, Sites>& expected() {
  static const std::map<std::string_view, Sites> table = {
      {"post_ln", everywhere("post")},
      {"pre_ln", everywhere("in")},
      {"admin", everywhere("r=vector(1) post")},
      {"admin_closed", by_stack({"r=vector(4.922) post", "", "r=vector(4.922) post"},
                                {"r=vector(3.041) post", "r=vector(3.041) post", "r=vector(3.041) post"})},
      {"b2t", by_sublayer({"post", "post", "alpha=1 post"})},
      {"b2t_past_norm", by_sublayer({"post", "post", "post alpha_out=1"})},
      {"b2t_no_ln", by_stack({"bare", "", "alpha=0.5411 beta=0.2872"}, {"bare", "bare", "alpha=0.6888 beta=0.2872"})},
      {"dlcl_pre", everywhere("in")},
      {"dlcl_post", everywhere("post")},
      {"t_fixup", everywhere("bare")},
      {"deepnorm", by_stack({"r=2.633 post", "", "r=2.633 post"}, {"r=2.449 post", "r=2.449 post", "r=2.449 post"})},
      {"rezero", everywhere("g=layer(0)")},
      {"rezero_post_ln", everywhere("g=layer(0) post")},
      {"fixup", by_sublayer({"shift g=scalar(1) no_biases", "shift g=scalar(1) no_biases",
                             "shift g=scalar(1) hidden_shifts no_biases"})},
      {"look_linear", everywhere("post")},
      {"ds_init", everywhere("post")},
      {"sandwich", everywhere("in out")},
      {"residual_dual", everywhere("post")},
      {"normformer", by_sublayer({"in out head_scale", "in", "in hidden_norm"})},
      {"sub_ln", by_sublayer({"in heads_norm", "in", "in hidden_norm"})},
      {"layer_scale", everywhere("in g=vector(0.0001)")},
      {"mix_ln", by_depth("post", "in", "in")},
      {"ln_scaling", by_depth("in", "in c=0.1291", "in c=0.2887")},
      {"hybrid_norm", by_stack({"post value_norm", "", "bare"}, {"value_norm", "post value_norm", "bare"})},
      {"hybrid_norm_star",
       {{"in value_norm", "", "in"},
        {"post value_norm", "", "bare"},
        {"in value_norm", "in value_norm", "in"},
        {"value_norm", "post value_norm", "bare"}}},
      {"olmo2", everywhere("out")},
      {"dyt", everywhere("in")},
  };
  return table;
}

constexpr Shape kDeep{.encoder_layers = 60, .decoder_layers = 12};

std::string words_at(std::string_view variant, Stack stack, Sublayer sublayer, int layer,
                     const VariantOptions& options = {}, const Shape& shape = kDeep) {
  return in_words(rule_at(*find_variant(variant), {stack, sublayer, layer, shape}, options));
}

void expect_layer(std::string_view variant, Stack stack, int layer, const Layers& expected) {
  EXPECT_EQ(words_at(variant, stack, Sublayer::SelfAttention, layer), expected.self) << layer;
  EXPECT_EQ(words_at(variant, stack, Sublayer::FeedForward, layer), expected.ffn) << layer;
  if (stack == Stack::Encoder) return;
  EXPECT_EQ(words_at(variant, stack, Sublayer::CrossAttention, layer), expected.cross) << layer;
}

class RuleOfEveryRow : public testing::TestWithParam<std::string_view> {};

TEST_P(RuleOfEveryRow, IsWhatTheSpecificationSays) {
  const auto found = expected().find(GetParam());
  ASSERT_NE(found, expected().end()) << GetParam() << " is missing from the test";
  const Sites& sites = found->second;
  expect_layer(GetParam(), Stack::Encoder, 1, sites.first_encoder);
  expect_layer(GetParam(), Stack::Encoder, 60, sites.last_encoder);
  expect_layer(GetParam(), Stack::Decoder, 1, sites.first_decoder);
  expect_layer(GetParam(), Stack::Decoder, 12, sites.last_decoder);
}

INSTANTIATE_TEST_SUITE_P(Table, RuleOfEveryRow, testing::ValuesIn(variant_names().begin(), variant_names().end()),
                         [](const auto& info) { return std::string(info.param); });

TEST(RuleOfMixLn, IsPostLnInTheFirstQuarterOfEachStack) {
  for (int layer = 1; layer <= 60; ++layer) {
    EXPECT_EQ(words_at("mix_ln", Stack::Encoder, Sublayer::FeedForward, layer), layer <= 15 ? "post" : "in") << layer;
  }
  for (int layer = 1; layer <= 12; ++layer) {
    EXPECT_EQ(words_at("mix_ln", Stack::Decoder, Sublayer::CrossAttention, layer), layer <= 3 ? "post" : "in") << layer;
  }
}

TEST(RuleOfMixLn, RoundsTheFractionUpButNotBecauseOfBinaryFractions) {
  const auto post_layers = [](double fraction, int depth) {
    int count = 0;
    for (int layer = 1; layer <= depth; ++layer) {
      const Shape shape{.encoder_layers = depth};
      count += words_at("mix_ln", Stack::Encoder, Sublayer::SelfAttention, layer, {.mix_ln_fraction = fraction},
                        shape) == "post";
    }
    return count;
  };
  EXPECT_EQ(post_layers(0.25, 6), 2);  // 1.5
  EXPECT_EQ(post_layers(0.25, 1), 1);
  EXPECT_EQ(post_layers(0.3, 10), 3);
  EXPECT_EQ(post_layers(0.28, 25), 7);  // 0.28 * 25 = 7.000000000000001 in binary
  EXPECT_EQ(post_layers(0.14, 50), 7);
  EXPECT_EQ(post_layers(0.7, 10), 7);
  EXPECT_EQ(post_layers(0, 10), 0);
  EXPECT_EQ(post_layers(1, 10), 10);
}

TEST(RuleOfLnScaling, DividesByTheRootOfTheLayerForAllItsSublayers) {
  const Variant& row = *find_variant("ln_scaling");
  for (Sublayer sublayer : kDeep.order(Stack::Decoder)) {
    for (int layer = 1; layer <= 12; ++layer) {
      const double c = rule_at(row, {Stack::Decoder, sublayer, layer, kDeep}, {}).c_in;
      EXPECT_NEAR(c * c * layer, 1, 1e-12);
    }
  }
}

TEST(RuleOfHybridNorm, PutsTheNormBehindSelfAttentionWhereThereIsNoOther) {
  const Shape decoder{.form = Form::Decoder, .decoder_layers = 12};
  EXPECT_EQ(words_at("hybrid_norm", Stack::Decoder, Sublayer::SelfAttention, 1, {}, decoder), "post value_norm");
  EXPECT_EQ(words_at("hybrid_norm", Stack::Decoder, Sublayer::FeedForward, 1, {}, decoder), "bare");
}

TEST(RuleOfAdminClosed, CountsTwoSublayersPerLayerInADecoderAlone) {
  const Shape decoder{.form = Form::Decoder, .decoder_layers = 12};
  EXPECT_EQ(words_at("admin_closed", Stack::Decoder, Sublayer::FeedForward, 1, {}, decoder), "r=vector(2.601) post");
}

TEST(RuleOfNormFormer, ScalesTheSkipOfTheFeedForwardOnlyAndOnlyIfAsked) {
  const VariantOptions options{.normformer_scale_resids = true};
  EXPECT_EQ(words_at("normformer", Stack::Decoder, Sublayer::SelfAttention, 2, options), "in out head_scale");
  EXPECT_EQ(words_at("normformer", Stack::Decoder, Sublayer::CrossAttention, 2, options), "in");
  EXPECT_EQ(words_at("normformer", Stack::Decoder, Sublayer::FeedForward, 2, options), "in r=vector(1) hidden_norm");
}

TEST(RuleOfLayerScale, StartsWhereTheOptionSays) {
  EXPECT_EQ(words_at("layer_scale", Stack::Encoder, Sublayer::FeedForward, 2, {.layer_scale_init = 1e-6}),
            "in g=vector(1e-06)");
}

// mathematics.md 7: LN-scaling at l = 1 equals Pre-LN.
TEST(RuleOfLnScaling, IsPreLnInTheFirstLayer) {
  for (Sublayer sublayer : kDeep.order(Stack::Decoder)) {
    EXPECT_EQ(words_at("ln_scaling", Stack::Decoder, sublayer, 1), words_at("pre_ln", Stack::Decoder, sublayer, 1));
  }
}

TEST(Factor, IsLearnedUnlessItIsOneOrAConstant) {
  EXPECT_FALSE(Factor{}.learned());
  EXPECT_FALSE((Factor{Factor::Kind::Constant, 2}.learned()));
  EXPECT_TRUE((Factor{Factor::Kind::LayerScalar, 0}.learned()));
  EXPECT_TRUE((Factor{Factor::Kind::Scalar, 1}.learned()));
  EXPECT_TRUE((Factor{Factor::Kind::Vector, 1}.learned()));
}

}  // namespace
}  // namespace plumb
