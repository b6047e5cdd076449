#include "plumb/train/start_weights.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/config/dump.h"
#include "plumb/store/weights_file.h"
#include "plumb/train/training_data.h"

#include "support/tiny_translation.h"

namespace plumb {
namespace {

class StartWeightsTest : public testing::Test {
 protected:
  StartWeightsTest() { config_.train.pretrained = (tiny_.folder / "pretrained").string() + "@5"; }

  /// Leaves what a run with this model would: its config and a checkpoint.
  void pretrain(const ModelConfig& model) const {
    Config config = tiny_.config;
    config.model = model;
    const std::filesystem::path checkpoint = tiny_.folder / "pretrained/checkpoints/5";
    std::filesystem::create_directories(checkpoint);
    write_whole(tiny_.folder / "pretrained/config.toml", to_toml(config));
    save_weights(Transformer(model, 7).parameters(), checkpoint / "model.safetensors");
  }

  std::optional<std::vector<std::string>> start(Transformer& model) const {
    BatchCursor batches(*data_.train, config_.train.max_tokens, /*seed=*/3);
    return set_start_weights(model, config_, batches);
  }

  const TinyTranslation tiny_;
  const TrainingData data_{tiny_.config, tiny_.data};
  Config config_ = tiny_.config;
};

TEST_F(StartWeightsTest, OfAnotherHeadAreLeftOut) {
  pretrain(config_.model);
  config_.model.share_decoder_input_output_embed = true;
  Transformer model(config_.model, 1);
  EXPECT_EQ(start(model), std::vector<std::string>());
  const Transformer source(tiny_.config.model, 7);
  const std::string name = "decoder.layers.0.fc1.weight";
  EXPECT_TRUE(at::equal(model.parameters().value(name), source.parameters().value(name)));
}

TEST_F(StartWeightsTest, MissingFromTheRunAreNamed) {
  ModelConfig tied = config_.model;
  tied.share_decoder_input_output_embed = true;
  pretrain(tied);
  Transformer model(config_.model, 1);
  EXPECT_EQ(start(model), std::vector<std::string>{"decoder.output_projection.weight"});
}

TEST_F(StartWeightsTest, OfAnotherBodyAreRefused) {
  ModelConfig deeper = config_.model;
  deeper.encoder_layers = 2;
  pretrain(deeper);
  Transformer model(config_.model, 1);
  try {
    start(model);
    FAIL() << "a layer was lost";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("encoder.layers.1."));
  }
}

}  // namespace
}  // namespace plumb
