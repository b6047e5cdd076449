#include "plumb/nn/subsampler.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/ops/path.h"

#include "support/models.h"

namespace plumb::test {
namespace {

const SubsamplerShape kShape{.bins = 7, .mid_channels = 12, .width = 5};
const std::vector<int64_t> kLengths = {9, 1, 2, 14, 4};

struct Model {
  explicit Model(at::ScalarType dtype, const SubsamplerShape& shape = kShape) : subsampler(store, shape) {
    store.allocate(dtype);
    store.draw(3);
  }

  ParameterStore store;
  Subsampler subsampler;
};

at::Tensor some_frames(int64_t rows, int64_t bins = 7) {
  return at::arange(rows * bins, at::kDouble).mul(0.7).sin().view({rows, bins});
}

/// LibTorch's own layers on one utterance [T, bins]. `weights` and `biases` of each layer, the weights as the store has
/// them.
at::Tensor by_libtorch(const at::Tensor& frames, const std::vector<at::Tensor>& weights,
                       const std::vector<at::Tensor>& biases, int64_t kernel) {
  at::Tensor x = frames.t().unsqueeze(0);  // [1, C, T]
  for (size_t i = 0; i < weights.size(); ++i) {
    const at::Tensor weight = weights[i].view({weights[i].size(0), kernel, -1}).permute({0, 2, 1});
    x = at::glu(at::conv1d(x, weight, biases[i], /*stride=*/2, /*padding=*/kernel / 2), 1);
  }
  return x[0].t();
}

/// Leaves of the parameters of one kind.
std::vector<at::Tensor> parameters(const ParameterStore& store, const std::string& kind, int layers = 2) {
  std::vector<at::Tensor> all;
  for (int i = 0; i < layers; ++i) {
    const std::string name = "encoder.subsample.conv_layers." + std::to_string(i) + kind;
    all.push_back(store.value(name).detach().clone().requires_grad_());
  }
  return all;
}

at::Tensor every_utterance(const at::Tensor& frames, const std::vector<at::Tensor>& weights,
                           const std::vector<at::Tensor>& biases, int64_t kernel = 5) {
  std::vector<at::Tensor> parts;
  int64_t begin = 0;
  for (const int64_t length : kLengths) {
    parts.push_back(by_libtorch(frames.narrow(0, begin, length), weights, biases, kernel));
    begin += length;
  }
  return at::cat(parts);
}

TEST(Subsampler, EqualsLibTorchsConvolutionsOneUtteranceAtATime) {
  for (const SubsamplerShape& shape : {kShape, SubsamplerShape{7, 12, 5, 1, 3}, SubsamplerShape{7, 12, 5, 3, 7}}) {
    const Model model(at::kDouble, shape);
    const at::Tensor frames = some_frames(30);
    const Subsampler::States states = model.subsampler(frames, ops::Packed(kLengths));
    const at::Tensor expected = every_utterance(frames, parameters(model.store, ".weight", shape.layers),
                                                parameters(model.store, ".bias", shape.layers), shape.kernel);
    EXPECT_LE(difference(states.x, expected), 1e-14);
    ASSERT_EQ(states.rows.sequences(), std::ssize(kLengths));
    for (int64_t b = 0; b < states.rows.sequences(); ++b) {
      EXPECT_EQ(states.rows.length(b), Subsampler::rows_of(kLengths[static_cast<size_t>(b)], shape.layers)) << b;
    }
  }
}

TEST(Subsampler, HasTheGradientsOfLibTorchsConvolutions) {
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
    const Model model(dtype);
    const at::Tensor frames = some_frames(30).to(dtype);
    const at::Tensor states = model.subsampler(frames, ops::Packed(kLengths)).x;
    const at::Tensor slope = some_frames(states.size(0), states.size(1)).cos();
    states.backward(slope.to(dtype));

    std::vector<at::Tensor> weights = parameters(model.store, ".weight"), biases = parameters(model.store, ".bias");
    for (auto* all : {&weights, &biases}) {
      for (at::Tensor& one : *all) one = one.detach().to(at::kDouble).requires_grad_();
    }
    every_utterance(frames.to(at::kDouble), weights, biases).backward(slope);
    for (int i = 0; i < 2; ++i) {
      const std::string name = "encoder.subsample.conv_layers." + std::to_string(i);
      const double tolerance = dtype == at::kDouble ? 1e-13 : 2e-6;
      const at::Tensor dweight = model.store.gradient(name + ".weight"), dbias = model.store.gradient(name + ".bias");
      EXPECT_GT(dweight.abs().max().item<double>(), 1e-3);
      EXPECT_LE(difference(dweight.to(at::kDouble), weights[static_cast<size_t>(i)].grad()), tolerance) << name;
      EXPECT_LE(difference(dbias.to(at::kDouble), biases[static_cast<size_t>(i)].grad()), tolerance) << name;
    }
  }
}

TEST(Subsampler, TakesTheFusedPath) {
  const Model model(at::kFloat);
  const int64_t before = ops::reference_calls();
  (void)model.subsampler(some_frames(30).to(at::kFloat), ops::Packed(kLengths));
  EXPECT_EQ(ops::reference_calls(), before);
}

TEST(Subsampler, AnUtteranceDoesNotKnowWhatItSharesABatchWith) {
  const Model model(at::kFloat);
  const at::Tensor frames = some_frames(30).to(at::kFloat);
  const ops::Packed rows(kLengths);
  const Subsampler::States together = model.subsampler(frames, rows);
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    const int64_t length = rows.length(b);
    const at::Tensor alone = model.subsampler(frames.narrow(0, rows.begin(b), length), ops::Packed({length})).x;
    const at::Tensor part = together.x.narrow(0, together.rows.begin(b), together.rows.length(b));
    EXPECT_LE(difference(part, alone), 1e-6) << b;
  }
}

TEST(Subsampler, MakesAQuarterOfTheFramesRoundedUp) {
  for (int64_t frames = 1; frames < 50; ++frames) EXPECT_EQ(Subsampler::rows_of(frames), (frames + 3) / 4) << frames;
}

TEST(Subsampler, StartsAsLibTorchsConvolutionsDo) {
  const Model model(at::kDouble, {.bins = 80, .mid_channels = 64, .width = 32});
  const double fan_in[] = {5 * 80, 5 * 32};
  for (int i = 0; i < 2; ++i) {
    const double bound = 1 / std::sqrt(fan_in[i]);
    const at::Tensor weight = parameters(model.store, ".weight")[static_cast<size_t>(i)].detach();
    EXPECT_EQ(weight.sizes(), (std::vector<int64_t>{64, static_cast<int64_t>(fan_in[i])}));
    EXPECT_LE(weight.abs().max().item<double>(), bound);
    EXPECT_GE(weight.abs().max().item<double>(), 0.99 * bound);
    EXPECT_NEAR(weight.std().item<double>(), bound / std::sqrt(3.0), 0.02 * bound);
    const at::Tensor bias = parameters(model.store, ".bias")[static_cast<size_t>(i)].detach();
    EXPECT_LE(bias.abs().max().item<double>(), bound);
    EXPECT_GE(bias.abs().max().item<double>(), 0.8 * bound);
  }
}

}  // namespace
}  // namespace plumb::test
