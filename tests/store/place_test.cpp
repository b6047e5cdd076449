#include "plumb/store/place.h"

#include <gtest/gtest.h>

#include "plumb/store/parameter_store.h"

namespace plumb::test {
namespace {

const ParameterPlace kQuery{Stack::Decoder,       11, Sublayer::CrossAttention, ParameterRole::Matrix, "encoder_attn",
                            "encoder_attn.q_proj"};

TEST(ParameterPlace, NamesATensorOfALayer) {
  EXPECT_EQ(kQuery.name("weight"), "decoder.layers.11.encoder_attn.q_proj.weight");
  EXPECT_EQ(kQuery.stack_part(), "decoder encoder_attn");
}

TEST(ParameterPlace, NamesWhatIsOutsideTheLayersOrOneTensor) {
  const ParameterPlace place{.stack = Stack::Encoder, .module = "output_shift"};
  EXPECT_EQ(place.name(), "encoder.output_shift");
  EXPECT_EQ(place.stack_part(), "encoder residual");
  EXPECT_EQ(place.inside("x").name("bias"), "encoder.output_shift.x.bias");
}

TEST(ParameterPlace, GoesIntoTheStoreWithTheName) {
  ParameterStore store;
  store.declare(kQuery, "weight", {2, 3}, {.value = 0});
  const ParameterSpec& spec = store.entry("decoder.layers.11.encoder_attn.q_proj.weight").spec;
  EXPECT_EQ(spec.place.layer, 11);
  EXPECT_EQ(spec.place.sublayer, Sublayer::CrossAttention);
  EXPECT_EQ(spec.place.role, ParameterRole::Matrix);
  EXPECT_EQ(spec.place.module, "encoder_attn.q_proj");
}

}  // namespace
}  // namespace plumb::test
