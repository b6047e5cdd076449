#include "plumb/train/memory.h"

#include <gtest/gtest.h>

#include "plumb/config/load.h"

namespace plumb {
namespace {

// How well it meets the truth is tested from outside, on a run's peak: tests/cli/engine_test.py.
Config small(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"model.width=32", "model.ffn_width=64", "model.heads=4",
                                       "model.source_vocab=100", "model.target_vocab=100", "train.max_tokens=1000"});
  return load_overrides(overrides);
}

StepMemory predicted(std::vector<std::string> overrides) {
  return predict_memory(small(std::move(overrides)));
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

// The prediction knows one and two layers and a few sentences; the measurement is a step of the model itself.
TEST(Memory, ActivationsAreThoseOfAStepInEveryForm) {
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"model.form=decoder", "model.decoder_layers=4"},
        {"model.form=encoder", "model.encoder_layers=4"},
        {"model.encoder_layers=5", "model.decoder_layers=3"},
        {"model.form=decoder", "model.decoder_layers=5", "train.recompute=true"}}) {
    const double measured =
        static_cast<double>(measured_activations(small(overrides), 1000 / kAssumedLength, kAssumedLength));
    EXPECT_GT(measured, 1e6);
    EXPECT_NEAR(static_cast<double>(predicted(overrides).activations) / measured, 1, 0.02) << overrides[0];
  }
}

}  // namespace
}  // namespace plumb
