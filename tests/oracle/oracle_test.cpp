// Values of the oracle that can be worked out by hand.
#include "oracle/oracle.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

#include "oracle/attention.h"
#include "oracle/coefficients.h"
#include "oracle/embedding.h"
#include "oracle/feed_forward.h"
#include "oracle/norm.h"
#include "oracle/random_weights.h"
#include "oracle/test_models.h"

namespace oracle {
namespace {

TEST(OracleNorm, ByHand) {
  const Row x = {1, 2, 3, 4}, one(4, 1.0), two(4, 2.0);
  const Row ln = layer_norm(x, two, &one, 1e-5);
  EXPECT_NEAR(ln[0], 1.0 - 3.0 / std::sqrt(1.25001), 1e-14);
  EXPECT_NEAR(ln[3], 1.0 + 3.0 / std::sqrt(1.25001), 1e-14);
  EXPECT_NEAR(rms_norm(x, two, 1e-6)[1], 4.0 / std::sqrt(7.500001), 1e-14);
  EXPECT_NEAR(scale_norm({3, 4}, 10.0)[0], 6.0, 1e-14);
  EXPECT_NEAR(scale_norm({0, 1e-6}, 2.0)[1], 0.2, 1e-14);
  EXPECT_NEAR(dyt(x, 0.5, two, &one)[1], 2.0 * std::tanh(1.0) + 1.0, 1e-14);
}

TEST(OracleActivation, ByHand) {
  EXPECT_EQ(activate("relu", -2.0), 0.0);
  EXPECT_NEAR(activate("gelu", 1.0), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(activate("gelu", -1.0), -0.15865525393145707, 1e-15);
}

TEST(OraclePositions, ByHand) {
  for (double p : {0.0, 2.0, 5.0}) {
    const Row fairseq = sinusoid("fairseq", p, 8), marian = sinusoid("marian", p, 8);
    EXPECT_NEAR(fairseq[0], std::sin(p), 1e-15);
    EXPECT_NEAR(fairseq[4], std::cos(p), 1e-15);
    EXPECT_NEAR(fairseq[3], std::sin(p / 10000.0), 1e-15);
    EXPECT_NEAR(marian[0], std::sin(p), 1e-15);
    EXPECT_NEAR(marian[1], std::sin(p / 10.0), 1e-15);
    EXPECT_NEAR(marian[7], std::cos(p / 1000.0), 1e-15);
  }
}

TEST(OraclePositions, FirstTokenStartsWhereItsConventionSays) {
  Config config = config_of("encoder", "post_ln");
  for (const auto& [kind, first] : std::map<std::string, double>{{"fairseq", 2.0}, {"marian", 0.0}}) {
    config.positions = kind;
    const Weights weights = {{"table", Row(16, 0.5)}};
    Reader reader(weights);
    const Matrix x = embed(Context{config, reader, Bug::None}, "encoder", "table", "layer", {1});
    EXPECT_NEAR(x[0][0], 0.5 * std::sqrt(8.0) + std::sin(first), 1e-15);
    EXPECT_NEAR(x[0][4], 0.5 * std::sqrt(8.0) + std::cos(first), 1e-15);
  }
}

TEST(OracleAttention, OneTokenIsItsValue) {
  Config config = config_of("decoder", "post_ln");
  config.width = 2;
  config.heads = 2;
  config.output_projection = false;
  const Weights weights = {{"a.q_proj.weight", {1, 2, 3, 4}},
                           {"a.k_proj.weight", {4, 3, 2, 1}},
                           {"a.v_proj.weight", {1, 2, 3, 4}},
                           {"a.v_proj.bias", {0.5, -0.5}}};
  Reader reader(weights);
  const Matrix y = attention(Context{config, reader, Bug::None}, "a", {{1, 1}}, {{1, 1}}, {});
  EXPECT_NEAR(y[0][0], 3.5, 1e-15);
  EXPECT_NEAR(y[0][1], 6.5, 1e-15);
}

TEST(OracleAttention, TwoKeysByHand) {
  Config config = config_of("encoder", "post_ln");
  config.width = 4;
  config.heads = 1;
  config.output_projection = false;
  const Row identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const Weights weights = {{"a.q_proj.weight", identity}, {"a.k_proj.weight", identity}, {"a.v_proj.weight", identity}};
  Reader reader(weights);
  const Matrix y = attention(Context{config, reader, Bug::None}, "a", {{2, 0, 0, 0}}, {{3, 0, 0, 0}, {0, 1, 0, 0}}, {});
  const double p = 1.0 / (1.0 + std::exp(-3.0));  // logits 2 * 3 / sqrt(4) and 0
  EXPECT_NEAR(y[0][0], 3.0 * p, 1e-14);
  EXPECT_NEAR(y[0][1], 1.0 - p, 1e-14);
}

TEST(OracleCoefficients, TableOfB2tWithoutLn) {
  const std::map<std::size_t, double> alpha = {{6, 0.5},     {8, 0.6667},  {9, 0.7192}, {12, 0.6888},
                                               {18, 0.6482}, {36, 0.5842}, {60, 0.5411}};
  for (const auto& [layers, value] : alpha) EXPECT_NEAR(b2t_no_ln_alpha(layers), value, 5e-5);
  EXPECT_NEAR(b2t_no_ln_beta(256), 0.3299, 5e-5);
  EXPECT_NEAR(b2t_no_ln_beta(512), 0.2872, 5e-5);
  EXPECT_NEAR(b2t_no_ln_beta(1024), 0.25, 5e-5);
}

TEST(OracleCoefficients, TableOfDeepnorm) {
  const auto alpha = [](std::size_t n, std::size_t m, bool encoder) {
    return deepnorm_alpha("encoder_decoder", encoder, n, m);
  };
  EXPECT_NEAR(alpha(6, 6, true), 1.418, 5e-4);
  EXPECT_NEAR(alpha(6, 6, false), 2.060, 5e-4);
  EXPECT_NEAR(alpha(18, 18, true), 1.999, 5e-4);
  EXPECT_NEAR(alpha(18, 18, false), 2.711, 5e-4);
  EXPECT_NEAR(alpha(60, 12, true), 2.633, 5e-4);
  EXPECT_NEAR(alpha(60, 12, false), 2.449, 5e-4);
  EXPECT_NEAR(alpha(100, 100, true), 3.416, 5e-4);
  EXPECT_NEAR(alpha(100, 100, false), 4.162, 5e-4);
  EXPECT_NEAR(deepnorm_alpha("decoder", false, 0, 8), 2.0, 1e-12);
  EXPECT_NEAR(deepnorm_alpha("encoder", true, 8, 0), 2.0, 1e-12);
}

TEST(OracleCoefficients, MixLnRoundsUp) {
  EXPECT_EQ(mix_ln_post_layers(0.25, 12), 3u);
  EXPECT_EQ(mix_ln_post_layers(0.25, 6), 2u);
  EXPECT_EQ(mix_ln_post_layers(0.07, 100), 7u);
  EXPECT_EQ(mix_ln_post_layers(0.0, 6), 0u);
  EXPECT_EQ(mix_ln_post_layers(1.0, 6), 6u);
}

TEST(OracleModel, DecoderIsCausal) {
  for (const std::string& variant : all_variants()) {
    const Config config = config_of("encoder_decoder", variant);
    const Weights weights = random_weights(config, 1);
    const Matrix full = logits(config, weights, kSource, kTarget);
    std::vector<int> changed = kTarget;
    changed.back() = 5;
    Matrix other = logits(config, weights, kSource, changed);
    EXPECT_GT(difference(full, other), 1e-3) << variant;
    other.back() = full.back();
    EXPECT_EQ(difference(full, other), 0.0) << variant;
  }
}

TEST(OracleModel, EncoderSeesTheFuture) {
  const Config config = config_of("encoder", "pre_ln");
  const Weights weights = random_weights(config, 1);
  const Matrix a = logits(config, weights, {1, 2, 3}, {}), b = logits(config, weights, {1, 2, 4}, {});
  EXPECT_GT(difference({a[0]}, {b[0]}), 1e-3);
}

TEST(OracleWeights, MissingMisspeltAndMisshapen) {
  const Config config = config_of("encoder_decoder", "pre_ln");
  Weights weights = random_weights(config, 1);
  weights.erase("decoder.layers.1.fc2.weight");
  try {
    run(config, weights);
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("decoder.layers.1.fc2.weight"), std::string::npos);
  }
  weights = random_weights(config, 1);
  weights["decoder.layers.1.fc2.bais"] = {1};
  try {
    run(config, weights);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("fc2.bais"), std::string::npos);
  }
  weights = random_weights(config, 1);
  weights["encoder.layer_norm.weight"].pop_back();
  EXPECT_THROW(run(config, weights), std::invalid_argument);
  EXPECT_THROW(run(config_of("decoder", "none"), random_weights(config, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace oracle
