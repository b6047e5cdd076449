// One training step is the same bit for bit on another device: forward, loss, backward, clipping, optimiser,
// checkpoint.

#include <filesystem>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/sha256.h"
#include "plumb/catalogue/variants.h"
#include "plumb/ops/path.h"
#include "plumb/optim/clip.h"
#include "plumb/optim/optimiser.h"
#include "plumb/probe/sample.h"
#include "plumb/store/weights_file.h"
#include "plumb/task/loss.h"

#include "support/accelerator.h"
#include "support/temporary_directory.h"

namespace plumb::test {
namespace {

constexpr int kUpdates = 2;

Config small(Form form, std::string_view variant) {
  Config config;
  config.model.form = form;
  config.model.variant = variant;
  config.model.width = 16;
  config.model.ffn_width = 24;
  config.model.heads = 2;
  config.model.encoder_layers = config.model.decoder_layers = 2;
  config.model.source_vocab = config.model.target_vocab = 40;
  config.model.max_positions = 32;
  config.model.dropout = config.model.attention_dropout = config.model.activation_dropout = 0.1;
  config.train.label_smoothing = 0.1;
  config.optim.name = "adamw";
  config.optim.weight_decay = 0.01;
  config.optim.clip_norm = 0.1;
  config.probe.batches = kUpdates;
  config.probe.batch_tokens = 40;
  return config;
}

/// A model after some updates, as numbers of the CPU.
struct Trained {
  std::vector<double> losses, norms;
  at::Tensor values, gradients;
  std::vector<at::Tensor> moments;
  std::string file;  // the checksum of its weights
};

/// Writes the weights and reads them again.
std::string checksum(ParameterStore& store) {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "model.safetensors";
  save_weights(store, file);
  load_weights(store, file);
  return sha256_of_file(file);
}

Trained trained(const Config& config, const Where& where) {
  const probe::Sample sample = probe::random_sample(config).to(where);
  Transformer model(config.model, /*seed=*/3, where);
  ParameterStore& store = model.parameters();
  const auto optimiser = make_optimiser(config.optim, store);
  Trained result;
  for (int update = 0; update < kUpdates; ++update) {
    const TrainingBatch& batch = sample.batches[static_cast<size_t>(update)];
    const Pass pass{.training = true,
                    .seed = 5,
                    .step = static_cast<uint64_t>(update),
                    .recompute = config.train.recompute,
                    .where = where};
    if (update == 0) model.profile(batch.inputs, pass);
    store.zero_gradients();
    const ops::CrossEntropy sums = losses(model, batch, config.train, pass);
    sums.smoothed.backward();
    const auto tokens = static_cast<double>(batch.tokens());
    result.losses.push_back(sums.smoothed.item<double>());
    result.norms.push_back(gradient_norm(store.gradients()) / tokens);
    optimiser->step(/*lr=*/0.01, clip_factor(result.norms.back(), config.optim.clip_norm) / tokens);
  }
  EXPECT_EQ(store.values().device(), where.device);
  result.values = store.values().cpu();
  result.gradients = store.gradients().cpu();
  for (const Optimiser::State& state : optimiser->state()) result.moments.push_back(state.values.cpu());
  result.file = checksum(store);
  return result;
}

void expect_agreement(const Config& config) {
  const ops::PathScope reference(ops::Path::Reference);
  const Trained here = trained(config, {});
  const int64_t before = accelerator_ops();
  const Trained there = trained(config, {accelerator(), at::kFloat});
  EXPECT_GT(accelerator_ops(), before + 100);
  EXPECT_EQ(here.losses, there.losses);
  EXPECT_EQ(here.norms, there.norms);
  EXPECT_GT(here.norms.front(), config.optim.clip_norm) << "nothing was clipped";
  EXPECT_TRUE(at::equal(here.values, there.values));
  EXPECT_TRUE(at::equal(here.gradients, there.gradients));
  ASSERT_EQ(here.moments.size(), there.moments.size());
  for (size_t i = 0; i < here.moments.size(); ++i) EXPECT_TRUE(at::equal(here.moments[i], there.moments[i]));
  EXPECT_EQ(here.file, there.file);
}

std::vector<std::string> all_variants() {
  std::vector<std::string> names;
  for (const Variant& row : variants()) names.emplace_back(row.name);
  return names;
}

class DeviceOfVariant : public ::testing::TestWithParam<std::string> {};

TEST_P(DeviceOfVariant, TrainsThereAsHere) {
  expect_agreement(small(Form::EncoderDecoder, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Table, DeviceOfVariant, ::testing::ValuesIn(all_variants()),
                         [](const auto& info) { return info.param; });

TEST(Device, TrainsEveryForm) {
  for (const Form form : {Form::Decoder, Form::Encoder}) expect_agreement(small(form, "pre_ln"));
}

TEST(Device, TrainsEveryHead) {
  Config config = small(Form::Encoder, "post_ln");
  config.model.segments = 2;
  config.model.head = HeadKind::MaskedWords;
  expect_agreement(config);
  config.model.head = HeadKind::Classes;
  config.model.classes = 3;
  expect_agreement(config);
  config = small(Form::Decoder, "pre_ln");
  config.model.adaptive_cutoffs = {10, 20};
  config.model.adaptive_input = true;
  config.model.adaptive_dropout = 0.2;
  expect_agreement(config);
}

TEST(Device, TrainsOnFrames) {
  Config config = small(Form::EncoderDecoder, "pre_ln");
  config.model.input = InputKind::Frames;
  config.model.frame_width = 8;
  config.model.subsampler_channels = 12;
  expect_agreement(config);
}

TEST(Device, TrainsWithEveryOptimiser) {
  for (const char* name : {"sgd", "adam", "radam"}) {
    Config config = small(Form::Decoder, "pre_ln");
    config.optim.name = name;
    config.optim.momentum = 0.9;
    expect_agreement(config);
  }
}

TEST(Device, ComputesLayersAgain) {
  Config config = small(Form::EncoderDecoder, "pre_ln");
  config.train.recompute = true;
  expect_agreement(config);
}

// The kernels are of the CPU: where they are asked for, another device takes the reference all the same.
TEST(Device, NeedsNobodyToAskForTheReference) {
  const Config config = small(Form::EncoderDecoder, "b2t");
  const Trained asked = [&] {
    const ops::PathScope reference(ops::Path::Reference);
    return trained(config, {accelerator(), at::kFloat});
  }();
  const Trained unasked = trained(config, {accelerator(), at::kFloat});
  EXPECT_EQ(asked.losses, unasked.losses);
  EXPECT_TRUE(at::equal(asked.values, unasked.values));
}

TEST(Device, TrainsInDouble) {
  const ops::PathScope reference(ops::Path::Reference);
  const Config config = small(Form::EncoderDecoder, "post_ln");
  const Trained here = trained(config, at::kDouble), there = trained(config, {accelerator(), at::kDouble});
  EXPECT_EQ(here.losses, there.losses);
  EXPECT_TRUE(at::equal(here.values, there.values));
}

TEST(Device, OfABatchThatStayedBehindIsAnError) {
  const Config config = small(Form::EncoderDecoder, "pre_ln");
  const probe::Sample sample = probe::random_sample(config);
  const Transformer model(config.model, 3, {accelerator(), at::kFloat});
  EXPECT_THROW(model.features(sample.batches[0].inputs, model.pass()), c10::Error);
  EXPECT_THROW(model.features(sample.batches[0].inputs.to(model.where()), {}), c10::Error);
}

}  // namespace
}  // namespace plumb::test
