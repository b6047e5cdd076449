// What the papers say about a Transformer before its first step, measured on small models (mathematics.md 5 and 7).

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "plumb/ops/norm.h"
#include "plumb/residual/taps.h"

#include "support/models.h"

namespace plumb::test {
namespace {

constexpr int kVocabulary = 200;

ModelConfig network(Form form, const std::string& variant, int layers, int width) {
  ModelConfig config = tiny(form, variant);
  config.width = width;
  config.ffn_width = 2 * width;
  config.heads = 4;
  config.encoder_layers = config.decoder_layers = layers;
  config.activation = Activation::Relu;
  config.source_vocab = config.target_vocab = kVocabulary;
  config.max_positions = 64;
  return config;
}

/// The setting of Xiong et al. 3.3: attention is a mean, the feed-forward part is square, the input is N(0, I).
ModelConfig theory(const std::string& variant, int layers, int width) {
  ModelConfig config = network(Form::Encoder, variant, layers, width);
  config.init = Regime::T;
  config.ffn_width = width;
  config.heads = 1;
  config.positions = Positions::None;
  config.norm_eps = 1e-12;
  return config;
}

Batch random_batch(Form form, int64_t sequences, int64_t length, uint64_t seed) {
  at::manual_seed(seed);
  const auto tokens = [&] {
    return Tokens{at::randint(4, kVocabulary, {sequences * length}, at::kLong),
                  ops::Packed(std::vector<int64_t>(static_cast<size_t>(sequences), length))};
  };
  Batch batch;
  if (form != Form::Decoder) batch.source = tokens();
  if (form != Form::Encoder) batch.target = tokens();
  return batch;
}

double mean_square(const at::Tensor& x) {
  return x.square().mean().item<double>();
}

/// The slope of an ordinary least-squares line.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::string tap(const char* stack, int layer, const char* point) {
  return std::string(stack) + '.' + std::to_string(layer) + '.' + point;
}

TEST(Lemma1, ReluHalvesTheSquaredLengthOfANormalVector) {
  at::manual_seed(1);
  EXPECT_NEAR(at::relu(at::randn({4000, 512})).square().sum(1).mean().item<double>(), 256, 2.5);
}

// The expectation is over the weights as well, and the tokens of one model are alike: seeds are averaged.
TEST(Lemma2, PostLnSumsHaveOneAndAHalfTimesTheWidthAndOutputsTheWidth) {
  constexpr int kSeeds = 12, kLayers = 6;
  double sum[kLayers] = {};
  at::NoGradGuard no_grad;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Transformer model(theory("post_ln", kLayers, 256), seed);
    TapRecorder taps;
    model.features(random_batch(Form::Encoder, 4, 32, seed), {.observer = &taps});
    for (int layer = 0; layer < kLayers; ++layer) {
      sum[layer] += mean_square(taps.value(tap("encoder", layer, "ffn.sum"))) / kSeeds;
      EXPECT_NEAR(mean_square(taps.value(tap("encoder", layer, "ffn.out"))), 1, 1e-4) << layer;
    }
  }
  for (int layer = 0; layer < kLayers; ++layer) EXPECT_NEAR(sum[layer], 1.5, 0.1) << layer;
}

TEST(Lemma2, PreLnStreamGrowsLinearlyWithinItsBounds) {
  const Transformer model(theory("pre_ln", 6, 256), 1);
  TapRecorder taps;
  at::NoGradGuard no_grad;
  model.features(random_batch(Form::Encoder, 16, 32, 1), {.observer = &taps});
  for (int layer = 0; layer < 6; ++layer) {
    const double applied = layer + 1, size = mean_square(taps.value(tap("encoder", layer, "ffn.out")));
    EXPECT_GE(size, 0.97 * (1 + applied / 2)) << layer;
    EXPECT_LE(size, 1 + 1.5 * applied) << layer;
  }
}

TEST(Lemma3, JacobianOfLayerNormHasTheNormOfTheRootOfTheWidthOverTheCentredLength) {
  const int64_t d = 16;
  at::manual_seed(1);
  const at::Tensor x = (3 * at::randn({1, d}, at::kDouble) + 5).requires_grad_();
  const at::Tensor y = ops::norm(NormKind::Layer, x, {at::ones({d}, at::kDouble), at::zeros({d}, at::kDouble), {}}, 0);
  std::vector<at::Tensor> rows;
  for (int64_t i = 0; i < d; ++i) {
    rows.push_back(torch::autograd::grad({y[0][i]}, {x}, {}, /*retain_graph=*/true)[0][0]);
  }
  const double largest = at::linalg_svdvals(at::stack(rows))[0].item<double>();
  const double centred = (x - x.mean()).norm().item<double>();
  EXPECT_NEAR(largest, std::sqrt(static_cast<double>(d)) / centred, 1e-12);
}

/// The norm of the gradient of the last W2, averaged over seeds.
double last_gradient(const std::string& variant, int layers) {
  double sum = 0;
  for (uint64_t seed : {1, 2, 3, 4}) {
    Transformer model(theory(variant, layers, 128), seed);
    loss(model, random_batch(Form::Encoder, 8, 24, seed)).backward();
    sum += model.parameters().gradient(tap("encoder.layers", layers - 1, "fc2.weight")).norm().item<double>();
  }
  return sum / 4;
}

double depth_slope(const std::string& variant) {
  std::vector<double> depth, gradient;
  for (int layers : {6, 8, 10, 12, 14}) {
    depth.push_back(std::log(layers));
    gradient.push_back(std::log(last_gradient(variant, layers)));
  }
  return slope(depth, gradient);
}

TEST(Theorem1, LastGradientOfPostLnDoesNotDependOnDepth) {
  EXPECT_LT(std::abs(depth_slope("post_ln")), 0.15);
}

TEST(Theorem1, LastGradientOfPreLnFallsWithTheRootOfDepth) {
  const double measured = depth_slope("pre_ln");
  EXPECT_GT(measured, -0.85);
  EXPECT_LT(measured, -0.35);
}

/// By which factor the gradient of a layer's output shrinks from each decoder layer to the one below it.
double decoder_factor(const std::string& variant, Regime regime) {
  double sum = 0;
  for (uint64_t seed : {1, 2}) {
    ModelConfig config = network(Form::EncoderDecoder, variant, 18, 64);
    config.init = regime;
    Transformer model(config, seed);
    TapRecorder taps;
    loss(model, random_batch(config.form, 6, 16, seed), {.observer = &taps}).backward();
    std::vector<double> layer, gradient;
    for (int l = 0; l < 18; ++l) {
      layer.push_back(l);
      gradient.push_back(std::log(taps.gradient(tap("decoder", l, "ffn.out")).norm().item<double>()));
    }
    sum += std::exp(-slope(layer, gradient));
  }
  return sum / 2;
}

TEST(DecoderGradient, OfPostLnDecaysTowardsTheFirstLayer) {
  for (Regime regime : {Regime::A, Regime::C}) {
    const double factor = decoder_factor("post_ln", regime);
    EXPECT_GE(factor, 0.75) << word(regime);
    EXPECT_LE(factor, 0.87) << word(regime);
  }
}

TEST(DecoderGradient, OfB2tDecaysMuchLess) {
  for (Regime regime : {Regime::A, Regime::C}) {
    const double factor = decoder_factor("b2t", regime);
    EXPECT_GE(factor, 0.90) << word(regime);
    EXPECT_LE(factor, 0.97) << word(regime);
  }
}

TEST(DecoderGradient, OfPreLnDoesNotDecay) {
  for (Regime regime : {Regime::A, Regime::C}) EXPECT_GE(decoder_factor("pre_ln", regime), 0.98) << word(regime);
}

/// beta_ii^2 of Liu et al. for the sub-layers of a deep encoder: which share of its output's variance is its own.
/// After a norm of the sum that share is Var(a) / Var(z); LayerNorm divides both alike. The embedding has a variance of
/// 1.5 that no branch made, so the law is 1 / (i + c): the exponent is fitted on the deep part, where c is small.
double dependency_exponent(const std::string& variant) {
  constexpr int kLayers = 48, kFirst = 8;
  Transformer model(network(Form::Encoder, variant, kLayers, 64), 1);
  const Batch batch = random_batch(Form::Encoder, 8, 20, 1);
  model.profile(batch, {});
  TapRecorder taps;
  at::NoGradGuard no_grad;
  model.features(batch, {.observer = &taps});
  const auto variance = [&](const std::string& name) {
    return taps.value(name).var(1, /*unbiased=*/false).mean().item<double>();
  };
  std::vector<double> index, share;
  for (int layer = kFirst; layer < kLayers; ++layer) {
    double both = 0;  // attention and feed-forward branches differ in size: their mean is what follows the law
    for (const char* sublayer : {"self_attn", "ffn"}) {
      const std::string name = tap("encoder", layer, sublayer);
      both += variance(name + ".branch") / variance(name + ".sum");
    }
    index.push_back(std::log(2 * layer + 1.5));
    share.push_back(std::log(both / 2));
  }
  return slope(index, share);
}

TEST(LayerDependency, OfPreLnFallsAsOneOverTheSublayer) {
  EXPECT_NEAR(dependency_exponent("pre_ln"), -1, 0.25);
}

TEST(LayerDependency, OfAdminFallsAsOneOverTheSublayer) {
  EXPECT_NEAR(dependency_exponent("admin"), -1, 0.25);
}

TEST(LayerDependency, OfPostLnStaysWhereItIs) {
  EXPECT_NEAR(dependency_exponent("post_ln"), 0, 0.25);
}

}  // namespace
}  // namespace plumb::test
