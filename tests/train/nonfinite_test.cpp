// A number is spoilt in one place; the report must name that place and not what it spoils in turn.

#include "plumb/train/nonfinite.h"

#include <limits>
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/ops/cross_entropy.h"

namespace plumb {
namespace {

constexpr double kWrong = std::numeric_limits<double>::quiet_NaN();

class NonFiniteTest : public testing::Test {
 protected:
  NonFiniteTest() : model_(config(), 3) {}

  static ModelConfig config() {
    ModelConfig model;
    model.variant = "pre_ln";
    model.width = 8;
    model.heads = 2;
    model.ffn_width = 16;
    model.encoder_layers = 3;
    model.decoder_layers = 3;
    model.source_vocab = 11;
    model.target_vocab = 12;
    model.max_positions = 16;
    model.dropout = 0.1;
    return model;
  }

  static TrainingBatch batch() {
    const Tokens source{at::tensor({4, 9, 7, 2, 5, 2}, at::kLong), ops::Packed({4, 2})};
    const Tokens target{at::tensor({2, 6, 8, 2, 10, 11, 4}, at::kLong), ops::Packed({3, 4})};
    return {{source, target}, at::tensor({6, 8, 2, 10, 11, 4, 2}, at::kLong)};
  }

  static Pass pass() { return {.training = true, .seed = 1, .step = 5}; }

  void set(const std::string& name, double value) { model_.parameters().value(name).fill_(value); }

  /// A training step up to its gradients, which the trainer finds not to be finite, and the report about it.
  NonFinite after_a_step() {
    model_.parameters().zero_gradients();
    const at::Tensor logits = model_.logits(model_.features(batch().inputs, pass()));
    const at::Tensor loss = ops::cross_entropy(logits, batch().targets, 0.1, SmoothingOver::All);
    loss.backward();
    loss_is_finite_ = loss.isfinite().item<bool>();
    return locate_nonfinite(model_, batch(), {}, pass());
  }

  Transformer model_;
  bool loss_is_finite_ = true;
};

TEST_F(NonFiniteTest, NamesNothingWhereNothingIsWrong) {
  const NonFinite found = after_a_step();
  EXPECT_EQ(found.tap + found.gradient_tap + found.parameter, "");
}

TEST_F(NonFiniteTest, NamesTheParameterThatHoldsANanAndTheFirstTapBehindIt) {
  struct Case {
    std::string parameter, tap;
  };
  for (const auto& [parameter, tap] :
       {Case{"encoder.layers.1.fc2.bias", "encoder.1.ffn.branch"},
        Case{"encoder.layers.2.self_attn.k_proj.weight", "encoder.2.self_attn.branch"},
        Case{"decoder.layers.2.encoder_attn_layer_norm.weight", "decoder.2.encoder_attn.in"},
        Case{"decoder.embed_tokens.weight", "decoder.embed"}}) {
    const at::Tensor saved = model_.parameters().values().clone();
    model_.parameters().value(parameter).flatten()[-1] = kWrong;
    if (parameter == "decoder.embed_tokens.weight") set(parameter, kWrong);  // the last word is not in the batch
    const NonFinite found = after_a_step();
    EXPECT_EQ(found.parameter, parameter);
    EXPECT_EQ(found.tap, tap);
    model_.parameters().values().copy_(saved);
  }
}

// fc2 is enormous where what it reads is minute: their product is harmless on the way forward, but the gradient of the
// hidden units, fc2 times the gradient of the branch, is beyond the range of a float.
TEST_F(NonFiniteTest, NamesWhereTheGradientOverflowsIfTheForwardPassIsFine) {
  set("decoder.layers.1.fc1.weight", 0);
  set("decoder.layers.1.fc1.bias", 1e-38);
  set("decoder.layers.1.fc2.weight", 0);
  model_.parameters().value("decoder.layers.1.fc2.weight")[0].fill_(3e38);
  model_.parameters().value("decoder.output_projection.weight").mul_(10000);
  const NonFinite found = after_a_step();
  EXPECT_TRUE(loss_is_finite_);
  EXPECT_EQ(found.tap, "");
  EXPECT_EQ(found.gradient_tap, "decoder.1.ffn.in");
  EXPECT_EQ(found.parameter, "decoder.layers.1.fc1.bias");
}

}  // namespace
}  // namespace plumb
