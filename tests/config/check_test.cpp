#include "plumb/config/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config_test.h"

namespace plumb {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Each case is a [model] section; the message names the line of the key to change, what is wrong and what to do.
struct Case {
  const char* name;
  const char* model;  // starts on line 2 of the file
  const char* where;
  const char* problem;
  const char* remedy;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

// clang-format off
const Case kCases[] = {
    {"heads", "width = 512\nheads = 12", ":3 model.heads: ", "width 512 is not divisible by 12 heads", "Use 8 or 16 heads, or width 768"},
    {"heads_by_width", "heads = 12\nwidth = 512", ":3 model.width: ", "not divisible", "Use 8 or 16 heads"},
    {"more_heads_than_width", "width = 4\nheads = 6", ":3 model.heads: ", "width 4 is not divisible by 6 heads", "Use 4 heads, or width 6"},
    {"no_layers", "encoder_layers = 0", ":2 model.encoder_layers: ", "0 is too small", "at least 1"},
    {"no_decoder_layers", "decoder_layers = -3", ":2 model.decoder_layers: ", "-3 is too small", "at least 1"},
    {"no_width", "width = 0", ":2 model.width: ", "0 is too small", "at least 1"},
    {"huge_width", "width = 2_000_000_000", ":2 model.width: ", "too large", "at most 1000000"},
    {"no_heads", "heads = 0", ":2 model.heads: ", "0 is too small", "at least 1"},
    {"no_ffn", "ffn_width = 0", ":2 model.ffn_width: ", "0 is too small", "at least 1"},
    {"source_vocab", "source_vocab = 4", ":2 model.source_vocab: ", "4 is too small", "at least 5 (ids 0 to 3 are bos, pad, eos and unk)"},
    {"target_vocab", "target_vocab = 4", ":2 model.target_vocab: ", "4 is too small", "at least 5"},
    {"max_positions", "max_positions = 0", ":2 model.max_positions: ", "0 is too small", "at least 1"},
    {"qk_norm_length", "qk_norm_length = 1", ":2 model.qk_norm_length: ", "1 is too small", "at least 2"},
    {"dropout_of_one", "dropout = 1", ":2 model.dropout: ", "a dropout of 1 is not in [0, 1)", "0 drops nothing"},
    {"negative_dropout", "attention_dropout = -0.1", ":2 model.attention_dropout: ", "not in [0, 1)", "share"},
    {"activation_dropout", "activation_dropout = 2", ":2 model.activation_dropout: ", "not in [0, 1)", "share"},
    {"nan", "layer_scale_init = nan", ":2 model.layer_scale_init: ", "nan is not a finite number", "Write a number"},
    {"infinite", "ds_init_exponent = inf", ":2 model.ds_init_exponent: ", "inf is not a finite number", "Write a number"},
    {"ds_init_exponent", "ds_init_exponent = -0.5", ":2 model.ds_init_exponent: ", "-0.5 is negative", "0 or more"},
    {"norm_eps", "norm_eps = -1e-6", ":2 model.norm_eps: ", "negative", "0 or more"},
    {"mix_ln_fraction", "mix_ln_fraction = 1.5", ":2 model.mix_ln_fraction: ", "1.5 is not in [0, 1]", "0.25"},
    {"odd_width", "heads = 1\nwidth = 33", ":3 model.width: ", "fairseq sinusoids come in pairs", "Use width 34, or positions = \"learned\""},
    {"odd_width_marian", "heads = 1\nwidth = 33\npositions = 'marian'", ":4 model.positions: ", "marian sinusoids", "Use width 34"},
    {"width_of_two", "heads = 1\nwidth = 2", ":3 model.width: ", "fairseq sinusoids", "Use width 4"},
    {"variant", "variant = 'b2tt'", ":2 model.variant: ", "there is no variant \"b2tt\"", "Did you mean b2t? `plumb list variants`"},
    {"no_variant", "variant = ''", ":2 model.variant: ", "there is no variant \"\"", "`plumb list variants`"},
    {"encoder_variant", "encoder_variant = 'Post-LN'", ":2 model.encoder_variant: ", "there is no variant \"Post-LN\"", "Did you mean post_ln?"},
    {"decoder_variant", "decoder_variant = 'preln'", ":2 model.decoder_variant: ", "there is no variant", "Did you mean pre_ln?"},
    {"placement", "placement = 'pre_nl'", ":2 model.placement: ", "there is no variant", "Did you mean pre_ln?"},
    {"init_multipliers", "init_multipliers = 'deepnrm'", ":2 model.init_multipliers: ", "there is no variant", "Did you mean deepnorm?"},
    {"admin_as_pre_ln", "variant = 'admin'\nplacement = 'pre_ln'", ":3 model.placement: ", "admin needs its own placement, LN(w*x + F(x))", "Remove model.placement, or choose variant = \"pre_ln\""},
    {"deepnorm_as_pre_ln", "variant = 'deepnorm'\nplacement = 'pre_ln'", ":3 model.placement: ", "deepnorm needs its own placement", "choose variant = \"pre_ln\" with init_multipliers = \"deepnorm\""},
    {"ds_init_as_b2t", "variant = 'ds_init'\nplacement = 'b2t'", ":3 model.placement: ", "cannot be placed as b2t", "use post_ln or pre_ln"},
    {"post_ln_as_pre_ln", "variant = 'post_ln'\nplacement = 'pre_ln'", ":3 model.placement: ", "(norms: post)", "variant = \"pre_ln\""},
    {"multipliers_of_pre_ln", "init_multipliers = 'pre_ln'", ":2 model.init_multipliers: ", "pre_ln has no initial scales", "none, or one of b2t, b2t_past_norm, b2t_no_ln, t_fixup, deepnorm"},
    {"multipliers_of_admin", "init_multipliers = 'admin'", ":2 model.init_multipliers: ", "admin has no initial scales", "one of"},
    {"final_norm_of_b2t_no_ln", "variant = 'b2t_no_ln'\nfinal_norm = true", ":3 model.final_norm: ", "b2t_no_ln must not have a final norm", "Remove model.final_norm"},
    {"final_norm_of_post_ln", "variant = 'post_ln'\nfinal_norm = true", ":3 model.final_norm: ", "post_ln must not have a final norm", "Remove"},
    {"final_norm_of_dlcl", "variant = 'dlcl_pre'\nfinal_norm = false", ":3 model.final_norm: ", "part of dlcl_pre", "Remove"},
    {"final_norm_of_one_stack", "decoder_variant = 't_fixup'\nfinal_norm = true", ":3 model.final_norm: ", "t_fixup must not", "Remove"},
    {"shared_vocab", "source_vocab = 100\ntarget_vocab = 200\nshare_all_embeddings = true", ":4 model.share_all_embeddings: ", "source_vocab 100 and target_vocab 200", "Make them equal"},
    {"shared_in_decoder", "form = 'decoder'\nshare_all_embeddings = true", ":3 model.share_all_embeddings: ", "one embedding", "share_decoder_input_output_embed"},
    {"encoder_variant_of_lm", "form = 'decoder'\nencoder_variant = 'b2t'", ":3 model.encoder_variant: ", "form \"decoder\" has no encoder", "model.decoder_variant"},
    {"decoder_variant_of_bert", "form = 'encoder'\ndecoder_variant = 'b2t'", ":3 model.decoder_variant: ", "form \"encoder\" has no decoder", "model.encoder_variant"},
    {"theory", "init = 'T'", ":2 model.init: ", "ffn_width 2048 is not width 512", "Set model.ffn_width = 512"},
    {"mirrored", "variant = 'look_linear'\nffn_width = 33", ":3 model.ffn_width: ", "ffn_width 33 is odd", "Use ffn_width 34"},
    {"mirrored_multipliers", "ffn_width = 33\ninit_multipliers = 'look_linear'", ":3 model.init_multipliers: ", "look_linear mirrors", "34"},
    {"b2t_rescale", "b2t_rescale = 'depth'", ":2 model.b2t_rescale: ", "no stack of this model reads", "choose one of b2t, b2t_past_norm, b2t_no_ln"},
    {"b2t_rescale_unread", "variant = 'b2t'\nb2t_rescale = 'depth'\ninit_multipliers = 'none'", ":3 model.b2t_rescale: ", "no stack", "b2t"},
};
// clang-format on

class EveryCheck : public testing::TestWithParam<Case> {};

TEST_P(EveryCheck, NamesLineKeyAndRemedy) {
  const Case& c = GetParam();
  const Folder folder;
  const auto file = folder.write("x.toml", std::string("[model]\n") + c.model + "\n");
  const std::string error = error_of([&] { load_config(file, {}); });
  EXPECT_THAT(error, AllOf(StartsWith(file.string() + c.where), HasSubstr(c.problem), HasSubstr(c.remedy)));
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(List, EveryCheck, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Check, TopKeysMustNotBeNegative) {
  EXPECT_THAT(error_of_set({"seed=-1"}), AllOf(StartsWith("--set seed: -1 is too small"), HasSubstr("at least 0")));
  EXPECT_THAT(error_of_set({"threads=-1"}), AllOf(StartsWith("--set threads: "), HasSubstr("at least 0")));
}

TEST(Check, BlamesTheOverrideThatMadeTheCombination) {
  const Folder folder;
  const auto file = folder.write("x.toml", "[model]\nwidth = 512\nheads = 8\n");
  EXPECT_THAT(error_of([&] { load_config(file, Overrides{"model.width=100"}); }), StartsWith("--set model.width: "));
}

TEST(Check, ADefaultIsBlamedByItsKey) {
  Config config;
  config.model.heads = 7;
  EXPECT_THAT(error_of([&] { check(config); }), StartsWith("model.heads: "));
}

TEST(Check, WhatAFormDoesNotHaveIsNotChecked) {
  EXPECT_EQ(error_of_set({"model.form=decoder", "model.encoder_layers=0", "model.source_vocab=0"}), "");
  EXPECT_EQ(error_of_set({"model.form=encoder", "model.decoder_layers=0", "model.target_vocab=0"}), "");
}

TEST(Check, GoodCombinationsPass) {
  EXPECT_EQ(error_of_set({"model.variant=ds_init", "model.placement=pre_ln"}), "");
  EXPECT_EQ(error_of_set({"model.variant=ds_init", "model.placement=ds_init"}), "");
  EXPECT_EQ(error_of_set({"model.variant=ds_init", "model.placement=pre_ln", "model.final_norm=false"}), "");
  EXPECT_EQ(error_of_set({"model.variant=pre_ln", "model.init_multipliers=deepnorm"}), "");
  EXPECT_EQ(error_of_set({"model.variant=admin", "model.init_multipliers=admin"}), "");
  EXPECT_EQ(error_of_set({"model.variant=admin", "model.init_multipliers=none"}), "");
  EXPECT_EQ(error_of_set({"model.decoder_variant=b2t", "model.b2t_rescale=depth"}), "");
  EXPECT_EQ(error_of_set({"model.init=T", "model.ffn_width=512"}), "");
  EXPECT_EQ(error_of_set({"model.variant=post_ln", "model.final_norm=false"}), "");
  EXPECT_EQ(error_of_set({"model.width=33", "model.heads=3", "model.positions=learned"}), "");
  EXPECT_EQ(error_of_set({"model.width=2", "model.heads=1", "model.positions=marian"}), "");
}

}  // namespace
}  // namespace plumb
