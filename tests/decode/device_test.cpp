// Generation on another device gives the same tokens and the same scores, bit for bit.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/decode/generate.h"
#include "plumb/ops/path.h"

#include "support/accelerator.h"

namespace plumb::test {
namespace {

using Found = std::vector<std::vector<Hypothesis>>;

ModelConfig small_model(const std::string& variant) {
  ModelConfig model;
  model.variant = variant;
  model.width = 8;
  model.heads = 2;
  model.ffn_width = 16;
  model.encoder_layers = model.decoder_layers = 2;
  model.source_vocab = model.target_vocab = 12;
  model.max_positions = 16;
  return model;
}

Tokens sources() {
  return {Where().of(std::vector<int64_t>{4, 9, 7, 2, 5, 2, 8, 6, 10, 4, 7, 2}), ops::Packed({4, 2, 6})};
}

GenerateConfig limited(int64_t beam, int64_t nbest, bool sampling = false) {
  GenerateConfig options;
  options.beam = beam;
  options.nbest = nbest;
  options.max_len_a = 0;
  options.max_len_b = 8;
  options.sampling = sampling;
  return options;
}

// With larger weights than at the start, where all outputs are alike.
Found generated(const ModelConfig& config, const GenerateConfig& options, const Where& where) {
  const ops::PathScope reference(ops::Path::Reference);
  const Transformer model(config, 7, where);
  model.parameters().values().mul_(4);
  if (config.form == Form::EncoderDecoder) return generate(model, sources(), options, /*seed=*/3);
  const std::vector<Prompt> prompts = {{.tokens = {5, 6}, .sample = 0}, {.tokens = {9}, .sample = 1}};
  return continue_prompts(model, prompts, options, /*seed=*/3);
}

void expect_same(const ModelConfig& config, const GenerateConfig& options) {
  const Found here = generated(config, options, {}), there = generated(config, options, {accelerator(), at::kFloat});
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i) {
    ASSERT_EQ(here[i].size(), there[i].size());
    for (size_t k = 0; k < here[i].size(); ++k) {
      EXPECT_EQ(here[i][k].tokens, there[i][k].tokens);
      EXPECT_EQ(here[i][k].score, there[i][k].score);
    }
  }
}

TEST(DeviceGeneration, IsTheSameGreedilyAndWithABeam) {
  for (const char* variant : {"post_ln", "pre_ln", "b2t", "dlcl_pre", "residual_dual"}) {
    const ModelConfig config = small_model(variant);
    expect_same(config, limited(1, 1));
    expect_same(config, limited(3, 3));
  }
}

TEST(DeviceGeneration, IsTheSameWhereItSamples) {
  expect_same(small_model("pre_ln"), limited(2, 2, /*sampling=*/true));
}

TEST(DeviceGeneration, IsTheSameForALanguageModel) {
  ModelConfig config = small_model("pre_ln");
  config.form = Form::Decoder;
  expect_same(config, limited(2, 1));
}

}  // namespace
}  // namespace plumb::test
