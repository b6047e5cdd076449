// What the papers claim about a model before its first update, measured by the probes at a small size, over seeds and
// with confidence intervals.

#include <cmath>

#include <gtest/gtest.h>

#include "probe/support/examined.h"

namespace plumb::probe {
namespace {

Config network(const std::string& variant, int layers) {
  Config config;
  config.model.variant = variant;
  config.model.width = 64;
  config.model.ffn_width = 128;
  config.model.heads = 4;
  config.model.encoder_layers = config.model.decoder_layers = layers;
  config.model.source_vocab = config.model.target_vocab = 500;
  config.probe.batch_tokens = 150;
  config.probe.batches = 2;
  return config;
}

Summary last_of(const Findings& findings, const std::string& probe, const std::string& number,
                const Labels& labels = {}) {
  const Curve* curve = findings.curve(probe, number, labels);
  return curve ? curve->points.back().over_seeds : Summary{};
}

// Xiong et al. 2020, Theorem 1 and Fig. 3c, d.
TEST(Claims, LastGradientDoesNotDependOnDepthForPostLnAndFallsForPreLn) {
  Config config = network("post_ln", 6);
  config.probe.depths = {6, 10, 14};
  config.probe.seeds = 4;
  config.probe.batch_tokens = 250;
  const Summary post = last_of(examined(config, "depth_scaling"), "depth_scaling", "slope");
  EXPECT_LT(std::abs(post.mean), 0.2);
  config.model.variant = "pre_ln";
  const Summary pre = last_of(examined(config, "depth_scaling"), "depth_scaling", "slope");
  EXPECT_GT(pre.mean, -0.85);
  EXPECT_LT(pre.mean, -0.35);
  EXPECT_LT(pre.high, post.low);  // the intervals are apart
}

// Liu et al. 2020, Fig. 3; Takase et al. 2022, Fig. 3.
TEST(Claims, DecoderGradientOfPostLnDecaysAndB2tLiesBetweenItAndPreLn) {
  const auto factor = [](const std::string& variant) {
    Config config = network(variant, 18);
    config.probe.seeds = 5;
    return last_of(examined(config, "relative_gradient"), "relative_gradient", "factor", {{"stack", "decoder"}});
  };
  const Summary post = factor("post_ln"), b2t = factor("b2t"), pre = factor("pre_ln");
  EXPECT_LT(post.high, 0.9);
  EXPECT_LT(post.high, b2t.low);
  EXPECT_LT(b2t.high, pre.low);
}

// The drop sits at the norms: Takase et al. 2022, Fig. 4.
TEST(Claims, NormsOfPostLnShrinkTheGradientAndThoseOfPreLnAreNotOnTheWay) {
  const Findings post = examined(network("post_ln", 6), "inner_gradient"),
                 pre = examined(network("pre_ln", 6), "inner_gradient");
  for (const char* sublayer : {"self_attn", "encoder_attn", "ffn"}) {
    const Labels labels = {{"stack", "decoder"}, {"sublayer", sublayer}};
    for (double ratio : post.curve("inner_gradient", "across", labels)->means()) EXPECT_LT(ratio, 0.97) << sublayer;
    for (double ratio : pre.curve("inner_gradient", "across", labels)->means()) EXPECT_EQ(ratio, 1) << sublayer;
  }
}

// Liu et al. 2020, 4.1 and Figs. 7, 8.
TEST(Claims, OwnShareIsConstantForPostLnAndFallsAsOneOverTheIndexForPreLnAndAdmin) {
  const auto exponent = [](const std::string& variant) {
    Config config = network(variant, 32);
    config.model.form = Form::Encoder;
    config.probe.batch_tokens = 80;
    config.probe.seeds = 3;
    return last_of(examined(config, "dependency"), "dependency", "exponent", {{"stack", "encoder"}});
  };
  EXPECT_NEAR(exponent("post_ln").mean, 0, 0.25);
  EXPECT_NEAR(exponent("pre_ln").mean, -1, 0.25);
  EXPECT_NEAR(exponent("admin").mean, -1, 0.25);
}

// Liu et al. 2020, Theorem 2 and Fig. 4.
TEST(Claims, ShiftGrowsWithDepthForPostLnAndWithItsLogarithmForPreLnAndAdmin) {
  const auto fits = [](const std::string& variant) {
    Config config = network(variant, 1);
    config.model.form = Form::Encoder;
    config.probe.depths = {2, 4, 8, 16, 32, 64};
    config.probe.seeds = 4;
    config.probe.batch_tokens = 80;
    const Findings findings = examined(config, "amplification");
    const Labels random = {{"by", "random"}};
    return std::pair(findings.number("amplification", "r2_linear", random),
                     findings.number("amplification", "r2_log", random));
  };
  const auto post = fits("post_ln"), pre = fits("pre_ln"), admin = fits("admin");
  EXPECT_GT(post.first, 0.9);
  EXPECT_GT(post.first, post.second);
  EXPECT_GT(pre.second, 0.9);
  EXPECT_GT(pre.second, pre.first);
  EXPECT_GT(admin.second, 0.9);
  EXPECT_GT(admin.second, admin.first);
}

// Zhang & Mackey 2022, Fig. 3.
TEST(Claims, LargestEigenvalueOfPostLnIsAboveThatOfPreLn) {
  const auto largest = [](const std::string& variant) {
    Config config = network(variant, 3);
    config.probe.seeds = 3;
    config.probe.curvature_pairs = 6;
    config.probe.lanczos_steps = 12;
    config.probe.lanczos_vectors = 1;
    config.probe.curvature_blocks = false;
    return last_of(examined(config, "curvature"), "curvature", "largest");
  };
  const Summary post = largest("post_ln"), pre = largest("pre_ln");
  EXPECT_GT(post.low, pre.high);
}

TEST(Claims, LemmasHoldInTheirOwnSetting) {
  Config config = network("post_ln", 2);
  config.probe.seeds = 3;
  const Findings findings = examined(config, "lemmas");
  const auto mean = [&](const char* number) { return findings.number("lemmas", number); };
  EXPECT_NEAR(mean("lemma1"), 1, 0.01);
  EXPECT_NEAR(mean("lemma3"), 1, 1e-6);
  for (double size : findings.curve("lemmas", "lemma2_post")->means()) EXPECT_NEAR(size, 1.5, 0.15);
  const std::vector<double> pre = findings.curve("lemmas", "lemma2_pre")->means();
  for (size_t i = 0; i < pre.size(); ++i) {
    const double applied = static_cast<double>(i + 1);
    EXPECT_GE(pre[i], 0.97 * (1 + applied / 2));
    EXPECT_LE(pre[i], 1 + 1.5 * applied);
  }
  EXPECT_LT(std::abs(mean("theorem1_slope_post")), 0.2);
  EXPECT_GT(mean("theorem1_slope_pre"), -0.85);
  EXPECT_LT(mean("theorem1_slope_pre"), -0.35);
  EXPECT_NEAR(mean("liu_theorem1"), 1, 0.4);
  EXPECT_LT(mean("liu_remark1"), 0.9);
}

}  // namespace
}  // namespace plumb::probe
