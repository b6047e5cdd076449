// Identities between variants: with the right weights one is exactly another.
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "oracle/embedding.h"
#include "oracle/matrix.h"
#include "oracle/norm.h"
#include "oracle/oracle.h"
#include "oracle/random_weights.h"
#include "oracle/test_models.h"

namespace oracle {
namespace {

// `variant` whose tensors named `part` are `value` must be `plain`.
void expect_reduces(const std::string& variant, const std::string& part, double value, const std::string& plain) {
  for (const char* form : {"encoder_decoder", "decoder", "encoder"}) {
    const Config special = config_of(form, variant);
    const Matrix reduced = run(special, with(random_weights(special, 1), part, value));
    EXPECT_LT(difference(reduced, run(config_of(form, plain))), 1e-12) << variant << " " << form;
    EXPECT_GT(difference(run(special), reduced), 1e-3) << variant << " " << form;
  }
}

TEST(OracleVariants, ReduceToEachOther) {
  expect_reduces("admin", "_skip_scale", 1.0, "post_ln");
  expect_reduces("rezero_post_ln", "branch_scale", 1.0, "post_ln");
  expect_reduces("rezero", "branch_scale", 1.0, "t_fixup");
  expect_reduces("layer_scale", "branch_scale", 1.0, "pre_ln");
  EXPECT_EQ(difference(run(config_of("decoder", "look_linear")), run(config_of("decoder", "post_ln"))), 0.0);
  EXPECT_EQ(difference(run(config_of("decoder", "ds_init")), run(config_of("decoder", "post_ln"))), 0.0);

  Config mix = config_of("decoder", "mix_ln"), pre = config_of("decoder", "pre_ln"),
         post = config_of("decoder", "post_ln");
  mix.mix_ln_fraction = 0.0;
  EXPECT_LT(difference(run(mix), run(pre)), 1e-12);
  mix.mix_ln_fraction = 1.0;
  post.final_norm = "on";
  EXPECT_LT(difference(run(mix), run(post)), 1e-12);
  Config scaling = config_of("decoder", "ln_scaling");
  scaling.decoder_layers = pre.decoder_layers = 1;
  EXPECT_LT(difference(run(scaling), run(pre)), 1e-12);
}

// One decoder layer whose branches are zero leaves the skips and norms, which are few enough to write down.
TEST(OracleVariants, ZeroBranchesByHand) {
  const auto features = [](const std::string& variant, const std::function<Row(Row, const Weights&)>& expected) {
    Config config = config_of("decoder", variant);
    config.decoder_layers = 1;
    const Vocabulary vocabulary{7, 8, 10};
    Weights weights = with(with(random_weights(config, 1, vocabulary), "out_proj", 0.0), "fc2", 0.0);
    Row& output = weights.at("decoder.output_projection.weight");
    for (std::size_t i = 0; i < output.size(); ++i) output[i] = i % 9 == 0 ? 1.0 : 0.0;
    Row x = sinusoid("fairseq", 2.0, 8);
    for (std::size_t i = 0; i < 8; ++i) x[i] += std::sqrt(8.0) * weights.at("decoder.embed_tokens.weight")[8 * 5 + i];
    EXPECT_LT(difference(logits(config, weights, {}, {5}), {expected(x, weights)}), 1e-12) << variant;
  };
  const auto ln = [](const Row& x, const Weights& w, const std::string& name, double epsilon = kLayerNormEpsilon) {
    return layer_norm(x, w.at("decoder." + name + ".weight"), &w.at("decoder." + name + ".bias"), epsilon);
  };
  const auto sum = [](const Row& a, const Row& b) { return add({a}, {b})[0]; };
  const auto scaled = [](const Row& a, double factor) { return times({a}, factor)[0]; };
  const std::string sa = "layers.0.self_attn_layer_norm", ff = "layers.0.final_layer_norm", end = "layer_norm";

  features("post_ln", [&](Row x, const Weights& w) { return ln(ln(x, w, sa), w, ff); });
  features("pre_ln", [&](Row x, const Weights& w) { return ln(x, w, end); });
  features("mix_ln", [&](Row x, const Weights& w) { return ln(ln(ln(x, w, sa), w, ff), w, end); });
  features("b2t", [&](Row x, const Weights& w) { return ln(sum(x, ln(x, w, sa)), w, ff); });
  features("b2t_past_norm", [&](Row x, const Weights& w) { return sum(x, ln(ln(x, w, sa), w, ff)); });
  features("b2t_no_ln", [&](Row x, const Weights&) { return scaled(x, 1.0 / 12.0 + std::pow(8.0, -0.2)); });
  features("t_fixup", [&](Row x, const Weights&) { return x; });
  features("hybrid_norm", [&](Row x, const Weights& w) { return ln(ln(x, w, sa), w, end); });
  features("hybrid_norm_star", [&](Row x, const Weights& w) { return ln(x, w, end); });
  features("residual_dual", [&](Row x, const Weights& w) { return sum(ln(ln(x, w, sa), w, ff), ln(x, w, end, 1e-7)); });
  features("deepnorm", [&](Row x, const Weights& w) {
    const double alpha = std::pow(2.0, 0.25);
    return ln(scaled(ln(scaled(x, alpha), w, sa), alpha), w, ff);
  });
  // LN of a zero branch is its bias.
  features("sandwich", [&](Row x, const Weights& w) {
    const Row attention = sum(x, w.at("decoder.layers.0.self_attn_output_layer_norm.bias"));
    return ln(sum(attention, w.at("decoder.layers.0.final_output_layer_norm.bias")), w, end);
  });
  features("normformer", [&](Row x, const Weights& w) {
    return ln(sum(x, w.at("decoder.layers.0.self_attn_output_layer_norm.bias")), w, end);
  });
  features("fixup", [&](Row x, const Weights& w) { return sum(x, Row(8, -w.at("decoder.output_shift")[0])); });
}

TEST(OracleVariants, RezeroWithScaleZeroIsTheIdentity) {
  Config deep = config_of("decoder", "rezero"), empty = deep;
  empty.decoder_layers = 0;
  EXPECT_EQ(difference(run(deep, with(random_weights(deep, 1), "branch_scale", 0.0)), run(empty)), 0.0);
}

// 3.12 without shifts is 3.8 without biases.
TEST(OracleVariants, FixupWithoutShiftsIsPlain) {
  const Config fixup = config_of("encoder_decoder", "fixup"), plain = config_of("encoder_decoder", "t_fixup");
  const Weights neutral = with(with(random_weights(fixup, 1), "_shift", 0.0), "_scale", 1.0);
  EXPECT_LT(difference(run(fixup, neutral), run(plain, with(random_weights(plain, 1), ".bias", 0.0))), 1e-12);
}

// 3.7: row l has one weight per earlier state, and the embedding itself is not normalised.
TEST(OracleVariants, DlclOfOneLayer) {
  for (const std::string variant : {"dlcl_pre", "dlcl_post"}) {
    Config dlcl = config_of("decoder", variant);
    dlcl.decoder_layers = 1;
    Weights weights = random_weights(dlcl, 1);
    // The embedding alone: one norm of x_0, the final one (pre) or that of the last row (post).
    weights["decoder.history.weights.1"] = {1.0, 0.0};
    const std::string last = variant == "dlcl_pre" ? "decoder.layer_norm" : "decoder.history.layer_norms.1";
    Config empty = config_of("decoder", "pre_ln");
    empty.decoder_layers = 0;
    Weights same = random_weights(empty, 1);
    same["decoder.layer_norm.weight"] = weights.at(last + ".weight");
    same["decoder.layer_norm.bias"] = weights.at(last + ".bias");
    EXPECT_LT(difference(run(dlcl, weights), run(empty, same)), 1e-12) << variant;
  }
  // The newest state alone: LN_1(Layer(2 x_0)).
  Config dlcl = config_of("decoder", "dlcl_post"), post = config_of("decoder", "post_ln");
  dlcl.decoder_layers = post.decoder_layers = 1;
  Weights weights = random_weights(dlcl, 1);
  weights["decoder.history.weights.0"] = {2.0};
  weights["decoder.history.weights.1"] = {0.0, 1.0};
  post.embedding_gain = "scalar";
  post.final_norm = "on";
  Weights same = random_weights(post, 1);
  same["decoder.embedding_gain"] = {2.0};
  same["decoder.layer_norm.weight"] = weights.at("decoder.history.layer_norms.1.weight");
  same["decoder.layer_norm.bias"] = weights.at("decoder.history.layer_norms.1.bias");
  EXPECT_LT(difference(run(dlcl, weights), run(post, same)), 1e-12);
}

// 3.4: omega folds into the previous norm and the input columns; in cross-attention into W_Q only.
TEST(OracleVariants, AdminFoldsIntoPostLn) {
  const Config admin = config_of("encoder_decoder", "admin");
  Config post = config_of("encoder_decoder", "post_ln");
  post.embedding_gain = "vector";
  const Weights original = random_weights(admin, 1);
  Weights folded;
  for (const auto& [name, size] : tensor_sizes(post)) {
    folded[name] = original.count(name) > 0 ? original.at(name) : Row(size, 1.0);
  }
  const auto multiply = [&](const std::string& name, const Row& omega) {
    for (std::size_t i = 0; i < omega.size(); ++i) folded.at(name)[i] *= omega[i];
  };
  const auto divide_columns = [&](const std::string& name, const Row& omega) {
    Row& weight = folded.at(name + ".weight");
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] /= omega[i % omega.size()];
  };
  for (const std::string stack : {"encoder", "decoder"}) {
    std::string previous_norm;
    for (int l = 0; l < (stack == "encoder" ? 3 : 2); ++l) {
      const std::string p = stack + ".layers." + std::to_string(l) + ".";
      for (const std::string s : {"self_attn", "encoder_attn", "ffn"}) {
        if (stack == "encoder" && s == "encoder_attn") continue;
        const Row& omega = original.at(p + s + "_skip_scale");
        if (previous_norm.empty()) {
          multiply(stack + ".embedding_gain", omega);
        } else {
          multiply(previous_norm + ".weight", omega);
          multiply(previous_norm + ".bias", omega);
        }
        if (s == "ffn") divide_columns(p + "fc1", omega);
        if (s != "ffn") divide_columns(p + s + ".q_proj", omega);
        if (s == "self_attn") divide_columns(p + s + ".k_proj", omega);
        if (s == "self_attn") divide_columns(p + s + ".v_proj", omega);
        previous_norm = p + (s == "ffn" ? "final" : s) + "_layer_norm";
      }
    }
  }
  EXPECT_LT(difference(run(admin, original), run(post, folded)), 1e-11);
  EXPECT_GT(difference(run(admin, original), run(admin, original, Bug::AdminFoldCrossAttentionV)), 1e-2);
}

// 4.4: the scale of the second stream matters through the epsilon only.
TEST(OracleVariants, ResidualDualScaleCancels) {
  Config one = config_of("encoder_decoder", "residual_dual"), other = one;
  other.residual_dual_scale = 3.0;
  EXPECT_LT(difference(run(one), run(other)), 1e-5);
  EXPECT_GT(difference(run(one), run(other)), 0.0);
}

}  // namespace
}  // namespace oracle
