#include "plumb/train/start_weights.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/config/dump.h"
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
    std::filesystem::create_directories(run());
    write_whole(run() / "config.toml", to_toml(config));
    const Transformer trained(model, 7);
    Checkpoints(run()).save(5, trained.parameters(), *make_optimiser({}, trained.parameters()),
                            {.config = to_toml(config)});
  }

  std::filesystem::path run() const { return tiny_.folder / "pretrained"; }

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

TEST_F(StartWeightsTest, AreVerified) {
  pretrain(config_.model);
  const std::filesystem::path file = Checkpoints(run()).model_file(5);
  std::string bytes = read_all(file);
  bytes[bytes.size() - 100] ^= 1;
  write_all(file, bytes);
  Transformer model(config_.model, 1);
  EXPECT_THROW(start(model), DamagedFile);
  config_.train.pretrained.clear();
  config_.train.restore_file = file;
  EXPECT_THROW(start(model), DamagedFile);
}

TEST_F(StartWeightsTest, OfARunWhoseConfigWasEditedAreRefused) {
  pretrain(config_.model);
  Config edited = tiny_.config;
  edited.model.heads = 4;
  write_whole(run() / "config.toml", to_toml(edited));
  Transformer model(config_.model, 1);
  try {
    start(model);
    FAIL() << "other heads";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("model.heads is 4, but checkpoint 5 was trained with 2"));
  }
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
