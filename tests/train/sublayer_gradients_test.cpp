#include "plumb/train/sublayer_gradients.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/nn/transformer.h"

namespace plumb {
namespace {

ModelConfig one_layer(const std::string& variant) {
  ModelConfig model;
  model.variant = variant;
  model.width = 8;
  model.heads = 2;
  model.ffn_width = 16;
  model.encoder_layers = 1;
  model.decoder_layers = 1;
  model.source_vocab = model.target_vocab = 10;
  return model;
}

TEST(SublayerGradients, AreNormsOverAllParametersOfASublayer) {
  const Transformer transformer(one_layer("pre_ln"), 1);
  const ParameterStore& parameters = transformer.parameters();
  parameters.gradient("encoder.embed_tokens.weight").fill_(100);  // of no sub-layer
  parameters.gradient("encoder.layers.0.self_attn.q_proj.bias").fill_(1);
  parameters.gradient("encoder.layers.0.self_attn_layer_norm.weight").fill_(1);
  parameters.gradient("decoder.layers.0.encoder_attn.out_proj.bias").fill_(2);
  parameters.gradient("decoder.layers.0.fc1.bias").fill_(3);
  parameters.gradient("decoder.layers.0.final_layer_norm.bias").fill_(4);
  const auto sublayer = [](const char* name, double norm) {
    return testing::Pair(name, testing::DoubleNear(norm, 1e-6));
  };
  EXPECT_THAT(sublayer_gradient_norms(parameters, 0.5),
              testing::UnorderedElementsAre(
                  sublayer("encoder.layers.0.self_attn", 2), sublayer("encoder.layers.0.ffn", 0),
                  sublayer("decoder.layers.0.self_attn", 0), sublayer("decoder.layers.0.encoder_attn", std::sqrt(8.0)),
                  sublayer("decoder.layers.0.ffn", 0.5 * std::sqrt(16 * 9 + 8 * 16.0))));
}

TEST(SublayerGradients, CountWhatALayerSharesWithItsLastSublayer) {
  const Transformer transformer(one_layer("rezero"), 1);
  transformer.parameters().gradient("encoder.layers.0.branch_scale").fill_(3);
  EXPECT_EQ(sublayer_gradient_norms(transformer.parameters(), 1).at("encoder.layers.0.ffn"), 3);
}

}  // namespace
}  // namespace plumb
