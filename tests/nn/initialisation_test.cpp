// How weights start: measured deviations against tests/golden/init_std.json, which an independent script wrote.

#include <cmath>
#include <fstream>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <nlohmann/json.hpp>

#include "nn/support/every_row.h"

namespace plumb::test {
namespace {

nlohmann::json golden() {
  std::ifstream file(std::string(PLUMB_SOURCE_DIR) + "/tests/golden/init_std.json");
  return nlohmann::json::parse(file);
}

ModelConfig sized(const nlohmann::json& sizes, const std::string& row, Regime regime) {
  ModelConfig config = tiny(Form::EncoderDecoder, row);
  config.width = sizes["width"];
  config.heads = 4;
  config.encoder_layers = sizes["encoder_layers"];
  config.decoder_layers = sizes["decoder_layers"];
  config.source_vocab = config.target_vocab = sizes["vocabulary"];
  config.ffn_width = sizes["ffn_width"][std::string(word(regime))];
  if (row == "b2t_rescaled") {
    config.variant = "b2t";
    config.options.b2t_rescale = B2tRescale::Depth;
  }
  return config;
}

// A sample deviation of n draws is off by at most 1 / sqrt(2n) (normal) in one sigma; six sigmas never happen.
void expect_deviations(const ModelConfig& config, const nlohmann::json& expected, const std::string& what) {
  const Transformer model(config, 17, at::kDouble);
  size_t checked = 0;
  for (const auto& [name, value] : expected.items()) {
    at::Tensor tensor = model.parameters().value(name);
    if (name.ends_with("embed_tokens.weight")) tensor = tensor.narrow(0, 4, tensor.size(0) - 4);  // without the pad row
    const double measured = tensor.square().mean().sqrt().item<double>();
    const double sigma = 1 / std::sqrt(2.0 * static_cast<double>(tensor.numel()));
    EXPECT_NEAR(measured, value.get<double>(), 6 * sigma * value.get<double>()) << what << ' ' << name;
    ++checked;
  }
  // Every matrix and every bias of a linear map must stand in the golden list.
  for (const auto& entry : model.parameters().entries()) {
    const bool linear = entry.spec.name.find("_proj") != std::string::npos || entry.spec.shape.size() == 2 ||
                        entry.spec.name.find(".fc") != std::string::npos;
    EXPECT_TRUE(!linear || expected.contains(entry.spec.name)) << what << ' ' << entry.spec.name;
  }
  EXPECT_GT(checked, 20u);
}

TEST(Initialisation, HasTheGoldenDeviationForEveryWeightRowAndRegime) {
  const nlohmann::json file = golden();
  for (const auto& [row, value] : file["rows"].items()) {
    const nlohmann::json& like = value.is_string() ? file["rows"][value.get<std::string>()] : value;
    for (Regime regime : {Regime::A, Regime::B, Regime::C, Regime::D, Regime::T, Regime::G, Regime::X}) {
      const std::string letter(word(regime));
      ModelConfig config = sized(file["sizes"], row, regime);
      config.init = regime;
      expect_deviations(config, like[letter], row + '/' + letter);
    }
    const std::string own = like["own"];
    const ModelConfig config = sized(file["sizes"], row, Regime::A);
    expect_deviations(config, like[own], row + "/own");
  }
}

TEST(Initialisation, GoldenListNamesEveryRow) {
  const nlohmann::json rows = golden()["rows"];
  for (const Variant& row : variants()) EXPECT_TRUE(rows.contains(std::string(row.name))) << row.name;
}

TEST(Initialisation, OfTFixupScalesASharedEmbeddingOnce) {
  ModelConfig config = tiny(Form::EncoderDecoder, "t_fixup");
  config.width = 64;
  config.heads = 4;
  config.source_vocab = config.target_vocab = 2000;
  config.share_all_embeddings = true;
  const Transformer model(config, 1, at::kDouble);
  const double measured = model.parameters().value("encoder.embed_tokens.weight").square().mean().sqrt().item<double>();
  EXPECT_NEAR(measured, std::pow(9.0 * 3, -0.25) / 8, 0.005);
}

TEST(Initialisation, OfTheMultipliersCanBeTakenFromAnotherRowOrLeftOut) {
  ModelConfig config = tiny(Form::EncoderDecoder, "post_ln");
  config.init_multipliers = "ds_init";
  const Transformer scaled(config, 1), plain(tiny(Form::EncoderDecoder, "post_ln"), 1);
  const std::string name = "encoder.layers.2.fc1.weight";
  EXPECT_LE(difference(scaled.parameters().value(name), plain.parameters().value(name) / std::sqrt(3.0)), 1e-6);
  config = tiny(Form::EncoderDecoder, "ds_init");
  config.init_multipliers = "none";
  EXPECT_TRUE(at::equal(Transformer(config, 1).parameters().values(), plain.parameters().values()));
}

TEST(Initialisation, OfThePaddingRowIsZero) {
  const Transformer model(tiny(Form::EncoderDecoder, "post_ln"), 1);
  EXPECT_EQ(model.parameters().value("encoder.embed_tokens.weight")[kPad].abs().sum().item<double>(), 0);
  EXPECT_EQ(model.parameters().value("decoder.embed_tokens.weight")[kPad].abs().sum().item<double>(), 0);
}

// mathematics.md 1.3: the variance of the feed-forward branch for unit-variance input, per regime, within 5 %.
TEST(Initialisation, GivesTheFeedForwardBranchItsVariancePerRegime) {
  struct Case {
    Regime regime;
    int ratio;
    double variance;
  };
  for (const Case& c : {Case{Regime::A, 1, 0.5}, Case{Regime::A, 2, 0.444}, Case{Regime::A, 4, 0.32},
                        Case{Regime::B, 4, 0.32}, Case{Regime::C, 1, 0.0556}, Case{Regime::C, 2, 0.0556},
                        Case{Regime::C, 4, 0.0556}, Case{Regime::D, 4, 0.0556}, Case{Regime::X, 4, 0.32}}) {
    ModelConfig config = tiny(Form::Encoder, "post_ln");
    config.width = 256;
    config.ffn_width = 256 * c.ratio;
    config.init = c.regime;
    ParameterStore store;
    const FeedForward ffn(store, stack_plan(config, Stack::Encoder), 0, Activation::Relu, 0);
    store.allocate(at::kFloat);
    store.draw(1);
    // The biases of C and D add a constant to every row; the variance is over the weights' part.
    if (store.has("encoder.layers.0.fc1.bias")) {
      store.value("encoder.layers.0.fc1.bias").zero_();
      store.value("encoder.layers.0.fc2.bias").zero_();
    }
    at::manual_seed(2);
    at::NoGradGuard no_grad;
    const ops::Packed rows({4000});
    const at::Tensor branch = ffn(at::randn({4000, 256}), rows, {}).sum();
    EXPECT_NEAR(branch.square().mean().item<double>(), c.variance, 0.05 * c.variance) << word(c.regime) << c.ratio;
  }
}

TEST(Initialisation, GivesTheEmbeddingAVarianceOfOneAndAHalf) {
  ModelConfig config = tiny(Form::Encoder, "post_ln");
  config.width = 256;
  config.source_vocab = 4000;
  config.max_positions = 512;
  const Transformer model(config, 1);
  at::manual_seed(2);
  const Batch batch{{at::randint(4, 4000, {4000}, at::kLong), ops::Packed(std::vector<int64_t>(20, 200))}, {}};
  TapRecorder taps;
  at::NoGradGuard no_grad;
  model.features(batch, {.observer = &taps});
  EXPECT_NEAR(taps.value("encoder.embed").square().mean().item<double>(), 1.5, 0.05);
}

}  // namespace
}  // namespace plumb::test
