// The model against the oracle: an independent, plain-loop, one-sentence-at-a-time implementation in double.

#include <ATen/ATen.h>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

constexpr double kLogitTolerance = 1e-10;

double distance_to_oracle(const ModelConfig& config) {
  Transformer model(config, 1, at::kDouble);
  randomise(model, 7);
  const Batch batch = tiny_batch(config);
  return difference(logits(model, batch), oracle_logits(model, batch));
}

class LogitsOfEveryRow : public EveryRow {};

TEST_P(LogitsOfEveryRow, AgreeWithTheOracle) {
  EXPECT_LE(distance_to_oracle(config()), kLogitTolerance);
}

TEST_P(LogitsOfEveryRow, AgreeWithTheOracleForEveryNormKind) {
  for (NormKind kind : {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
    ModelConfig model = config();
    model.norm = kind;
    EXPECT_LE(distance_to_oracle(model), kLogitTolerance) << word(kind);
  }
}

TEST_P(LogitsOfEveryRow, AgreeWithTheOracleForEveryQueryKeyNorm) {
  for (QkNorm kind : {QkNorm::None, QkNorm::Head, QkNorm::Full, QkNorm::L2}) {
    ModelConfig model = config();
    model.qk_norm = kind;
    EXPECT_LE(distance_to_oracle(model), kLogitTolerance) << word(kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LogitsOfEveryRow, every_row(), row_name);

/// A key that must agree with the oracle on its own, in each form.
struct KeyCase {
  const char* name;
  void (*set)(ModelConfig&);
};

// clang-format off
const KeyCase kKeys[] = {
    {"relu", [](ModelConfig& m) { m.activation = Activation::Relu; }},
    {"marian_positions", [](ModelConfig& m) { m.positions = Positions::Marian; }},
    {"learned_positions", [](ModelConfig& m) { m.positions = Positions::Learned; }},
    {"no_positions", [](ModelConfig& m) { m.positions = Positions::None; }},
    {"unscaled_embedding", [](ModelConfig& m) { m.scale_embedding = false; }},
    {"layernorm_embedding", [](ModelConfig& m) { m.layernorm_embedding = true; }},
    {"scalar_embedding_gain", [](ModelConfig& m) { m.embedding_gain = EmbeddingGain::Scalar; }},
    {"vector_embedding_gain", [](ModelConfig& m) { m.embedding_gain = EmbeddingGain::Vector; }},
    {"share_all_embeddings", [](ModelConfig& m) { m.share_all_embeddings = true; m.source_vocab = m.target_vocab; }},
    {"share_decoder_input_output_embed", [](ModelConfig& m) { m.share_decoder_input_output_embed = true; }},
    {"without_final_norm", [](ModelConfig& m) { m.final_norm = false; }},
    {"one_head", [](ModelConfig& m) { m.heads = 1; }},
    {"theory_regime_without_output_projection", [](ModelConfig& m) { m.init = Regime::T; m.ffn_width = m.width; }},
    {"normformer_scale_resids", [](ModelConfig& m) { m.variant = "normformer"; m.options.normformer_scale_resids = true; }},
    {"residual_dual_scale", [](ModelConfig& m) { m.variant = "residual_dual"; m.options.residual_dual_scale = 0.05; }},
    {"mix_ln_fraction", [](ModelConfig& m) { m.variant = "mix_ln"; m.options.mix_ln_fraction = 0.5; }},
};
// clang-format on

class LogitsOfEveryKey : public ::testing::TestWithParam<std::tuple<KeyCase, Form>> {};

TEST_P(LogitsOfEveryKey, AgreeWithTheOracle) {
  const auto& [key, form] = GetParam();
  ModelConfig model = tiny(form, "pre_ln");
  key.set(model);
  EXPECT_LE(distance_to_oracle(model), kLogitTolerance);
}

INSTANTIATE_TEST_SUITE_P(Keys, LogitsOfEveryKey,
                         ::testing::Combine(::testing::ValuesIn(kKeys), ::testing::ValuesIn(kForms)),
                         [](const auto& info) {
                           return case_name(std::get<0>(info.param).name, std::get<1>(info.param));
                         });

TEST(Hybrid, PostLnEncoderWithPreLnDecoderIsAConfiguration) {
  ModelConfig model = tiny(Form::EncoderDecoder, "post_ln");
  model.decoder_variant = "pre_ln";
  EXPECT_LE(distance_to_oracle(model), kLogitTolerance);
  const Transformer built(model, 1, at::kDouble);
  EXPECT_FALSE(built.parameters().has("encoder.layer_norm.weight"));
  EXPECT_TRUE(built.parameters().has("decoder.layer_norm.weight"));
}

TEST(Hybrid, AnyTwoRowsCombine) {
  const auto rows = variants();
  for (size_t i = 0; i < rows.size(); ++i) {
    ModelConfig model = tiny(Form::EncoderDecoder, "post_ln");
    model.encoder_variant = rows[i].name;
    model.decoder_variant = rows[(i + 7) % rows.size()].name;
    EXPECT_LE(distance_to_oracle(model), kLogitTolerance) << model.encoder_variant << " + " << model.decoder_variant;
  }
}

}  // namespace
}  // namespace plumb::test
