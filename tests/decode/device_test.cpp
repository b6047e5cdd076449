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

// With larger weights than at the start, where all outputs are alike.
Found generated(const ModelConfig& config, const DecodeOptions& options, const Where& where) {
  const ops::PathScope reference(ops::Path::Reference);
  const Transformer model(config, 7, where);
  model.parameters().values().mul_(4);
  if (config.form == Form::EncoderDecoder) return generate(model, sources(), options);
  const std::vector<Prompt> prompts = {{.tokens = {5, 6}, .sample = 0}, {.tokens = {9}, .sample = 1}};
  return continue_prompts(model, prompts, options);
}

void expect_same(const ModelConfig& config, const DecodeOptions& options) {
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
    expect_same(config, {.beam = 1, .max_len_b = 8});
    expect_same(config, {.beam = 3, .nbest = 3, .max_len_b = 8});
  }
}

TEST(DeviceGeneration, IsTheSameWhereItSamples) {
  expect_same(small_model("pre_ln"), {.beam = 2, .nbest = 2, .max_len_b = 8, .sampling = true, .seed = 3});
}

TEST(DeviceGeneration, IsTheSameForALanguageModel) {
  ModelConfig config = small_model("pre_ln");
  config.form = Form::Decoder;
  expect_same(config, {.beam = 2, .max_len_b = 8});
}

}  // namespace
}  // namespace plumb::test
