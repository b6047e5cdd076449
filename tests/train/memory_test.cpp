#include "plumb/train/memory.h"

#include <gtest/gtest.h>

#include "plumb/config/load.h"

namespace plumb {
namespace {

// How well it meets the truth is tested from outside, on a run's peak: tests/cli/engine_test.py.
StepMemory predicted(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"model.width=32", "model.ffn_width=64", "model.heads=4",
                                       "model.source_vocab=100", "model.target_vocab=100", "train.max_tokens=1000"});
  return predict_memory(load_overrides(overrides));
}

TEST(Memory, StateIsCounted) {
  const StepMemory adam = predicted({}), plain = predicted({"optim.name=sgd"});
  EXPECT_EQ(adam.weights, adam.gradients);
  EXPECT_EQ(adam.optimiser, 2 * adam.weights);
  EXPECT_EQ(plain.optimiser, 0);
  EXPECT_EQ(plain.activations, adam.activations);
}

TEST(Memory, ActivationsGrowWithLayersAndTokens) {
  const double base = static_cast<double>(predicted({}).activations);
  const auto grown = [&](std::vector<std::string> overrides) {
    return static_cast<double>(predicted(std::move(overrides)).activations) / base;
  };
  EXPECT_NEAR(grown({"train.max_tokens=4000"}), 4, 0.2);
  const double deeper = grown({"model.encoder_layers=12", "model.decoder_layers=12"});
  EXPECT_GT(deeper, 1.6);
  EXPECT_LT(deeper, 2);  // logits and embeddings do not double
}

TEST(Memory, OneStackIsEnough) {
  EXPECT_GT(predicted({"model.form=decoder", "model.decoder_layers=4"}).activations, 0);
  EXPECT_GT(predicted({"model.form=encoder", "model.encoder_layers=4"}).activations, 0);
}

}  // namespace
}  // namespace plumb
