// Admin's profiling on a whole model: mathematics.md 3.4.

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/residual/taps.h"

#include "support/models.h"

namespace plumb::test {
namespace {

ModelConfig deep(const std::string& variant) {
  ModelConfig config = tiny(Form::EncoderDecoder, variant);
  config.width = 64;
  config.ffn_width = 128;
  config.heads = 4;
  config.encoder_layers = config.decoder_layers = 6;
  config.activation = Activation::Relu;
  config.source_vocab = config.target_vocab = 200;
  config.max_positions = 32;
  return config;
}

Batch long_batch() {
  at::manual_seed(5);
  const auto tokens = [] {
    return Tokens{at::randint(4, 200, {16 * 20}, at::kLong), ops::Packed(std::vector<int64_t>(16, 20))};
  };
  return {tokens(), tokens()};
}

double variance(const at::Tensor& x) {
  return x.var(/*unbiased=*/false).item<double>();
}

double omega(const Transformer& model, const std::string& stack, int layer, const char* sublayer) {
  const at::Tensor values =
      model.parameters().value(stack + ".layers." + std::to_string(layer) + '.' + sublayer + "_skip_scale");
  EXPECT_EQ(values.min().item<double>(), values.max().item<double>()) << "all entries start equal";
  return values[0].item<double>();
}

TEST(Profiling, StartsAtOneAndGrowsByTheVarianceOfEachBranch) {
  ModelConfig config = deep("admin");
  config.dropout = 0.1;  // the measurement is made in training mode
  Transformer model(config, 1, at::kDouble);
  const Batch batch = long_batch();
  const Pass pass{.training = true, .seed = 3};
  model.profile(batch, pass);
  TapRecorder taps;
  model.features(batch, {.training = true, .seed = 3, .observer = &taps});

  for (const std::string stack : {"encoder", "decoder"}) {
    std::vector<const char*> order = {"self_attn", "ffn"};
    if (stack == "decoder") order = {"self_attn", "encoder_attn", "ffn"};
    double expected_square = 0, previous = 0;
    bool first = true;
    for (int layer = 0; layer < 6; ++layer) {
      for (const char* sublayer : order) {
        const double w = omega(model, stack, layer, sublayer);
        if (first) {
          EXPECT_EQ(w, 1);
          expected_square = variance(taps.value(stack + ".embed"));  // omega_1 = 1 times Var(x_0)
        } else {
          EXPECT_GT(w, previous);
          EXPECT_NEAR(w * w, expected_square, 2e-2 * expected_square);
        }
        // LayerNorm makes Var(x) = 1 but for the affine part and eps, so the sum carries over: w_i^2 + Var[f_i].
        expected_square = (first ? expected_square : w * w) +
                          variance(taps.value(stack + '.' + std::to_string(layer) + '.' + sublayer + ".branch"));
        previous = w;
        first = false;
      }
    }
  }
}

// w_{i+1}^2 - w_i^2 = Var[f_i] for i >= 2, to the accuracy with which a LayerNorm's output has variance 1.
TEST(Profiling, DifferencesOfSquaresAreTheBranchVariances) {
  Transformer model(deep("admin"), 1, at::kDouble);
  const Batch batch = long_batch();
  model.profile(batch, {});
  TapRecorder taps;
  model.features(batch, {.observer = &taps});
  for (int layer = 1; layer < 6; ++layer) {
    const double attention = omega(model, "encoder", layer, "self_attn"), ffn = omega(model, "encoder", layer, "ffn");
    const double branch = variance(taps.value("encoder." + std::to_string(layer) + ".self_attn.branch"));
    EXPECT_NEAR(ffn * ffn - attention * attention, branch, 1e-3 * ffn * ffn);
  }
}

TEST(Profiling, GivesOmegasLikeThoseOfTheOfficialFile) {
  // A 100-100 WMT model: 1, 1.319, 1.455, 1.512, 1.643, 1.696, 1.810, ...; a width of 64 comes close to it.
  Transformer model(deep("admin"), 1, at::kDouble);
  model.profile(long_batch(), {});
  const double official[] = {1.0, 1.3190, 1.4550, 1.5123, 1.6428, 1.6959, 1.8100, 1.8668, 1.9713, 2.0285};
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(omega(model, "encoder", i / 2, i % 2 ? "ffn" : "self_attn"), official[i], 0.08 * official[i]) << i;
  }
}

TEST(Profiling, IsRepeatable) {
  Transformer once(deep("admin"), 1), twice(deep("admin"), 1);
  once.profile(long_batch(), {});
  twice.profile(long_batch(), {});
  twice.profile(long_batch(), {});
  EXPECT_TRUE(at::equal(once.parameters().values(), twice.parameters().values()));
}

TEST(Profiling, LeavesOtherRowsAlone) {
  Transformer model(deep("admin_closed"), 1);
  const at::Tensor before = model.parameters().values().clone();
  model.profile(long_batch(), {});
  EXPECT_TRUE(at::equal(before, model.parameters().values()));
  EXPECT_NEAR(omega(model, "encoder", 0, "ffn"), 2.017, 1e-3);
  EXPECT_NEAR(omega(model, "decoder", 0, "encoder_attn"), 2.335, 1e-3);
}

}  // namespace
}  // namespace plumb::test
