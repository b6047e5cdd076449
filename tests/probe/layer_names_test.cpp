#include "plumb/probe/layer_names.h"

#include <gtest/gtest.h>

namespace plumb::test {
namespace {

TEST(LayerParameter, KnowsStackLayerAndPart) {
  const auto place = layer_parameter("decoder.layers.11.encoder_attn.q_proj.weight");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->stack, Stack::Decoder);
  EXPECT_EQ(place->layer, 12);
  EXPECT_EQ(place->part, "encoder_attn.q_proj");
  EXPECT_EQ(layer_parameter("encoder.layers.0.fc1.bias")->part, "fc1");
  EXPECT_EQ(layer_parameter("encoder.layers.0.branch_scale")->part, "branch_scale");
}

TEST(LayerParameter, IsNothingOutsideTheLayers) {
  EXPECT_FALSE(layer_parameter("encoder.embed_tokens.weight"));
  EXPECT_FALSE(layer_parameter("encoder.layer_norm.weight"));
  EXPECT_FALSE(layer_parameter("encoder.history.weights.3"));
}

}  // namespace
}  // namespace plumb::test
