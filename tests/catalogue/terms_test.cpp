#include "plumb/catalogue/terms.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

using enum Sublayer;

/// The words of an enum, joined: the order and the spelling are what config files and checkpoints rely on.
template <class Enum>
std::string joined() {
  std::string result;
  for (std::string_view each : words<Enum>()) result += (result.empty() ? "" : " ") + std::string(each);
  return result;
}

TEST(Words, SpellEveryEnumInItsOrder) {
  EXPECT_EQ(joined<Form>(), "encoder_decoder decoder encoder");
  EXPECT_EQ(joined<Stack>(), "encoder decoder");
  EXPECT_EQ(joined<Sublayer>(), "self_attn encoder_attn ffn");
  EXPECT_EQ(joined<NormKind>(), "layer rms scale dyt");
  EXPECT_EQ(joined<QkNorm>(), "none head full l2");
  EXPECT_EQ(joined<Activation>(), "relu gelu");
  EXPECT_EQ(joined<Positions>(), "fairseq marian learned none");
  EXPECT_EQ(joined<EmbeddingGain>(), "none scalar vector");
  EXPECT_EQ(joined<B2tRescale>(), "none depth");
  EXPECT_EQ(joined<Regime>(), "A B C D T G X");
  EXPECT_EQ(joined<Role>(),
            "embedding position output_projection query key value attention_output fc1 fc2 query_bias key_bias "
            "value_bias attention_output_bias fc1_bias fc2_bias");
}

TEST(Words, OfTheLastEnumeratorAreTheLastOnes) {
  EXPECT_EQ(word(Form::Encoder), words<Form>().back());
  EXPECT_EQ(word(Stack::Decoder), words<Stack>().back());
  EXPECT_EQ(word(FeedForward), words<Sublayer>().back());
  EXPECT_EQ(word(NormKind::Dyt), words<NormKind>().back());
  EXPECT_EQ(word(QkNorm::L2), words<QkNorm>().back());
  EXPECT_EQ(word(Activation::Gelu), words<Activation>().back());
  EXPECT_EQ(word(Positions::None), words<Positions>().back());
  EXPECT_EQ(word(EmbeddingGain::Vector), words<EmbeddingGain>().back());
  EXPECT_EQ(word(B2tRescale::Depth), words<B2tRescale>().back());
  EXPECT_EQ(word(Regime::X), words<Regime>().back());
  EXPECT_EQ(word(Role::HiddenOutBias), words<Role>().back());
}

template <class Enum>
void expect_round_trip() {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < words<Enum>().size(); ++i) {
    EXPECT_EQ(word(static_cast<Enum>(i)), words<Enum>()[i]);
    EXPECT_TRUE(seen.insert(words<Enum>()[i]).second) << words<Enum>()[i];
  }
}

TEST(Words, LeadBackToTheirEnumeratorBecauseNoneIsUsedTwice) {
  expect_round_trip<Form>();
  expect_round_trip<Stack>();
  expect_round_trip<Sublayer>();
  expect_round_trip<NormKind>();
  expect_round_trip<QkNorm>();
  expect_round_trip<Activation>();
  expect_round_trip<Positions>();
  expect_round_trip<EmbeddingGain>();
  expect_round_trip<B2tRescale>();
  expect_round_trip<Regime>();
  expect_round_trip<Role>();
}

std::vector<Sublayer> order(const Shape& shape, Stack stack) {
  const auto sublayers = shape.order(stack);
  return {sublayers.begin(), sublayers.end()};
}

TEST(ShapeOfAModel, HasTheStacksOfItsForm) {
  const Shape both{.form = Form::EncoderDecoder}, decoder{.form = Form::Decoder}, encoder{.form = Form::Encoder};
  EXPECT_TRUE(both.has(Stack::Encoder));
  EXPECT_TRUE(both.has(Stack::Decoder));
  EXPECT_FALSE(decoder.has(Stack::Encoder));
  EXPECT_TRUE(decoder.has(Stack::Decoder));
  EXPECT_TRUE(encoder.has(Stack::Encoder));
  EXPECT_FALSE(encoder.has(Stack::Decoder));
}

TEST(ShapeOfAModel, ListsTheStacksOfItsForm) {
  const auto stacks = [](Form form) {
    const auto found = Shape{.form = form}.stacks();
    return std::vector<Stack>(found.begin(), found.end());
  };
  EXPECT_EQ(stacks(Form::EncoderDecoder), (std::vector<Stack>{Stack::Encoder, Stack::Decoder}));
  EXPECT_EQ(stacks(Form::Encoder), std::vector<Stack>{Stack::Encoder});
  EXPECT_EQ(stacks(Form::Decoder), std::vector<Stack>{Stack::Decoder});
}

TEST(ShapeOfAModel, CountsTwoSublayersInAnEncoderLayerAndThreeInADecoderLayer) {
  const Shape shape{.encoder_layers = 60, .decoder_layers = 12};
  EXPECT_EQ(shape.layers(Stack::Encoder), 60);
  EXPECT_EQ(shape.layers(Stack::Decoder), 12);
  EXPECT_EQ(shape.sublayers_per_layer(Stack::Encoder), 2);
  EXPECT_EQ(shape.sublayers_per_layer(Stack::Decoder), 3);
  EXPECT_EQ(shape.sublayers(Stack::Encoder), 120);
  EXPECT_EQ(shape.sublayers(Stack::Decoder), 36);
}

TEST(ShapeOfAModel, OrdersTheSublayersOfALayer) {
  const Shape shape;
  EXPECT_EQ(order(shape, Stack::Encoder), (std::vector<Sublayer>{SelfAttention, FeedForward}));
  EXPECT_EQ(order(shape, Stack::Decoder), (std::vector<Sublayer>{SelfAttention, CrossAttention, FeedForward}));
}

TEST(ShapeOfAModel, HasNoCrossAttentionInADecoderAlone) {
  const Shape shape{.form = Form::Decoder, .decoder_layers = 12};
  EXPECT_FALSE(shape.cross_attention(Stack::Decoder));
  EXPECT_EQ(order(shape, Stack::Decoder), (std::vector<Sublayer>{SelfAttention, FeedForward}));
  EXPECT_EQ(shape.sublayers(Stack::Decoder), 24);
}

TEST(PlaceOfASublayer, IsAsDeepAsItsOwnStack) {
  const Shape shape{.encoder_layers = 60, .decoder_layers = 12};
  EXPECT_EQ((Place{Stack::Encoder, SelfAttention, 1, shape}.depth()), 60);
  EXPECT_EQ((Place{Stack::Decoder, SelfAttention, 1, shape}.depth()), 12);
}

TEST(PlaceOfASublayer, IsLastOfItsLayerOnlyInTheFeedForward) {
  for (Sublayer sublayer : {SelfAttention, CrossAttention, FeedForward}) {
    EXPECT_EQ((Place{Stack::Decoder, sublayer, 3, {}}.last_of_layer()), sublayer == FeedForward);
  }
}

TEST(PlaceOfASublayer, IsTheLastAttentionBeforeTheFeedForward) {
  const Shape both, decoder{.form = Form::Decoder};
  EXPECT_TRUE((Place{Stack::Encoder, SelfAttention, 1, both}.last_attention()));
  EXPECT_FALSE((Place{Stack::Decoder, SelfAttention, 1, both}.last_attention()));
  EXPECT_TRUE((Place{Stack::Decoder, CrossAttention, 1, both}.last_attention()));
  EXPECT_TRUE((Place{Stack::Decoder, SelfAttention, 1, decoder}.last_attention()));
  EXPECT_FALSE((Place{Stack::Decoder, FeedForward, 1, both}.last_attention()));
}

}  // namespace
}  // namespace plumb
