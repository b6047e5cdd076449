// The published tables of mathematics.md 3.4 to 4.13, to the digits in which they are printed.

#include "plumb/catalogue/coefficients.h"

#include <cmath>

#include <gtest/gtest.h>

#include "plumb/catalogue/variants.h"

namespace plumb {
namespace {

constexpr double kPrinted = 1e-3;

constexpr Role kLayerWeights[] = {Role::Query,           Role::Key,      Role::Value,
                                  Role::AttentionOutput, Role::HiddenIn, Role::HiddenOut};
constexpr Role kBiases[] = {Role::QueryBias,           Role::KeyBias,      Role::ValueBias,
                            Role::AttentionOutputBias, Role::HiddenInBias, Role::HiddenOutBias};

Shape deep(int encoder, int decoder) {
  return {.encoder_layers = encoder, .decoder_layers = decoder};
}
Shape alone(Form form, int layers) {
  return {.form = form, .encoder_layers = layers, .decoder_layers = layers};
}

Place at(Stack stack, const Shape& shape, int layer = 1, Sublayer sublayer = Sublayer::SelfAttention) {
  return {stack, sublayer, layer, shape};
}

bool is_value_path(Role role) {
  return role == Role::Value || role == Role::AttentionOutput || role == Role::HiddenIn || role == Role::HiddenOut;
}

TEST(AdminClosedForm, IsThePublishedTable) {
  EXPECT_NEAR(admin_closed_omega(12), 2.017, kPrinted);
  EXPECT_NEAR(admin_closed_omega(18), 2.335, kPrinted);
  EXPECT_NEAR(admin_closed_omega(24), 2.601, kPrinted);
  EXPECT_NEAR(admin_closed_omega(36), 3.041, kPrinted);
  EXPECT_NEAR(admin_closed_omega(54), 3.567, kPrinted);
}

TEST(B2tWithoutNorm, IsThePublishedTable) {
  const std::pair<int, double> alphas[] = {{6, 0.5000},  {8, 0.6667},  {9, 0.7192}, {12, 0.6888},
                                           {18, 0.6482}, {36, 0.5842}, {60, 0.5411}};
  for (const auto& [layers, alpha] : alphas) EXPECT_NEAR(b2t_without_norm(layers, 512).alpha, alpha, 1e-4) << layers;
  EXPECT_NEAR(b2t_without_norm(6, 256).beta, 0.3299, 1e-4);
  EXPECT_NEAR(b2t_without_norm(6, 512).beta, 0.2872, 1e-4);
  EXPECT_NEAR(b2t_without_norm(6, 1024).beta, 0.25, 1e-12);
}

TEST(DeepNormCoefficients, AreThePublishedTableOfEncoderDecoders) {
  struct Row {
    int encoder, decoder;
    double alpha_e, beta_e, alpha_d, beta_d;
  };
  const Row table[] = {{6, 6, 1.418, 0.497, 2.060, 0.343},
                       {18, 18, 1.999, 0.353, 2.711, 0.261},
                       {60, 12, 2.633, 0.268, 2.449, 0.289},
                       {100, 100, 3.416, 0.206, 4.162, 0.170}};
  for (const Row& row : table) {
    const Shape shape = deep(row.encoder, row.decoder);
    EXPECT_NEAR(deepnorm(Stack::Encoder, shape).alpha, row.alpha_e, kPrinted) << row.encoder;
    EXPECT_NEAR(deepnorm(Stack::Encoder, shape).beta, row.beta_e, kPrinted) << row.encoder;
    EXPECT_NEAR(deepnorm(Stack::Decoder, shape).alpha, row.alpha_d, kPrinted) << row.decoder;
    EXPECT_NEAR(deepnorm(Stack::Decoder, shape).beta, row.beta_d, kPrinted) << row.decoder;
  }
}

TEST(DeepNormCoefficients, OfOneStackAloneAreRootsOfItsDepth) {
  // (2 * 8)^1/4 = 2, (8 * 32)^-1/4 = 1/4, (2 * 128)^1/4 = 4, (8 * 2)^-1/4 = 1/2
  EXPECT_NEAR(deepnorm(Stack::Encoder, alone(Form::Encoder, 8)).alpha, 2, 1e-12);
  EXPECT_NEAR(deepnorm(Stack::Encoder, alone(Form::Encoder, 32)).beta, 0.25, 1e-12);
  EXPECT_NEAR(deepnorm(Stack::Decoder, alone(Form::Decoder, 128)).alpha, 4, 1e-12);
  EXPECT_NEAR(deepnorm(Stack::Decoder, alone(Form::Decoder, 2)).beta, 0.5, 1e-12);
}

TEST(DeepNormMultiplier, IsBetaOnThePathOfValuesAndOneElsewhere) {
  const Shape shape = deep(60, 12);
  for (Role role : kLayerWeights) {
    const bool scaled = is_value_path(role);
    EXPECT_NEAR(deepnorm_multiplier(role, at(Stack::Encoder, shape), Regime::X, {}), scaled ? 0.268 : 1, kPrinted);
    EXPECT_NEAR(deepnorm_multiplier(role, at(Stack::Decoder, shape), Regime::X, {}), scaled ? 0.289 : 1, kPrinted);
  }
  EXPECT_EQ(deepnorm_multiplier(Role::Embedding, at(Stack::Encoder, shape), Regime::X, {}), 1);
}

TEST(SubLnGain, IsThePublishedTable) {
  EXPECT_NEAR(sub_ln_gain(Stack::Encoder, deep(6, 6)), 1.547, kPrinted);
  EXPECT_NEAR(sub_ln_gain(Stack::Decoder, deep(6, 6)), 1.700, kPrinted);
  EXPECT_NEAR(sub_ln_gain(Stack::Encoder, deep(18, 18)), 2.183, kPrinted);
  EXPECT_NEAR(sub_ln_gain(Stack::Decoder, deep(18, 18)), 1.997, kPrinted);
  EXPECT_NEAR(sub_ln_gain(Stack::Encoder, alone(Form::Encoder, 12)), std::sqrt(3.1780538), 1e-7);  // ln 24
  EXPECT_NEAR(sub_ln_gain(Stack::Decoder, alone(Form::Decoder, 24)), std::sqrt(3.8712010), 1e-7);  // ln 48
}

TEST(SubLnMultiplier, LeavesCrossAttentionAndQueriesAndKeysAlone) {
  const Shape shape = deep(6, 6);
  for (Role role : kLayerWeights) {
    const double expected = is_value_path(role) ? 1.700 : 1;
    EXPECT_NEAR(sub_ln_multiplier(role, at(Stack::Decoder, shape), Regime::A, {}), expected, kPrinted);
    EXPECT_EQ(sub_ln_multiplier(role, at(Stack::Decoder, shape, 1, Sublayer::CrossAttention), Regime::A, {}), 1);
  }
}

TEST(TFixupMultiplier, IsThePublishedTable) {
  const struct {
    int layers;
    double encoder, decoder;
  } table[] = {{6, 0.428, 0.369}, {18, 0.325, 0.280}};
  for (const auto& row : table) {
    const Shape shape = deep(row.layers, row.layers);
    for (Role role : {Role::AttentionOutput, Role::HiddenIn, Role::HiddenOut}) {
      EXPECT_NEAR(t_fixup_multiplier(role, at(Stack::Encoder, shape), Regime::B, {}), row.encoder, kPrinted);
      EXPECT_NEAR(t_fixup_multiplier(role, at(Stack::Decoder, shape), Regime::B, {}), row.decoder, kPrinted);
    }
    EXPECT_EQ(t_fixup_multiplier(Role::Query, at(Stack::Encoder, shape), Regime::B, {}), 1);
    EXPECT_EQ(t_fixup_multiplier(Role::Key, at(Stack::Decoder, shape), Regime::B, {}), 1);
  }
}

TEST(TFixupMultiplier, RestoresTheXavierGainOfTheValuesWhereTheRegimeHasHalvedTheirVariance) {
  const Place encoder = at(Stack::Encoder, deep(6, 6));
  for (Regime regime : {Regime::A, Regime::B, Regime::C}) {
    EXPECT_NEAR(t_fixup_multiplier(Role::Value, encoder, regime, {}), std::sqrt(2) * 0.428, 2 * kPrinted);
  }
  for (Regime regime : {Regime::D, Regime::T, Regime::G, Regime::X}) {
    EXPECT_NEAR(t_fixup_multiplier(Role::Value, encoder, regime, {}), 0.428, kPrinted);
  }
}

// mathematics.md 3.8: at N = 6 the variance of sqrt(d) E[token] is 0.136.
TEST(TFixupMultiplier, ScalesTheEmbeddingByItsOwnStackAndASharedOneByTheEncoder) {
  const Shape shape = deep(6, 18);
  const Place encoder = at(Stack::Encoder, shape), decoder = at(Stack::Decoder, shape);
  EXPECT_NEAR(t_fixup_multiplier(Role::Embedding, encoder, Regime::B, {}), 0.369, kPrinted);
  EXPECT_NEAR(std::pow(t_fixup_multiplier(Role::Embedding, encoder, Regime::B, {}), 2), 0.136, kPrinted);
  EXPECT_NEAR(t_fixup_multiplier(Role::Embedding, decoder, Regime::B, {}), 0.280, kPrinted);
  const auto of_shared = [](Stack stack, Shape shape) {
    shape.shared_embeddings = true;
    return t_fixup_multiplier(Role::Embedding, at(stack, shape), Regime::B, {});
  };
  EXPECT_NEAR(of_shared(Stack::Encoder, shape), 0.369, kPrinted);
  EXPECT_NEAR(of_shared(Stack::Decoder, shape), 0.369, kPrinted);
  EXPECT_NEAR(of_shared(Stack::Decoder, alone(Form::Decoder, 18)), 0.280, kPrinted);
}

TEST(TFixupMultiplier, LeavesPositionsAndAnUntiedOutputAlone) {
  const Place place = at(Stack::Decoder, deep(6, 6));
  EXPECT_EQ(t_fixup_multiplier(Role::Position, place, Regime::B, {}), 1);
  EXPECT_EQ(t_fixup_multiplier(Role::OutputProjection, place, Regime::B, {}), 1);
}

TEST(B2tMultiplier, IsOneByDefaultAndTheRootOfTheDepthIfRescaled) {
  const Shape shape = deep(16, 25);
  const VariantOptions rescaled{.b2t_rescale = B2tRescale::Depth};
  for (Role role : kLayerWeights) {
    EXPECT_EQ(b2t_multiplier(role, at(Stack::Encoder, shape, 7), Regime::C, {}), 1);
    EXPECT_NEAR(b2t_multiplier(role, at(Stack::Encoder, shape, 7), Regime::C, rescaled), 1.0 / 4, 1e-12);
    EXPECT_NEAR(b2t_multiplier(role, at(Stack::Decoder, shape, 7), Regime::C, rescaled), 1.0 / 5, 1e-12);
  }
  for (Role role : kBiases) EXPECT_EQ(b2t_multiplier(role, at(Stack::Encoder, shape), Regime::C, rescaled), 1);
  EXPECT_EQ(b2t_multiplier(Role::Embedding, at(Stack::Encoder, shape), Regime::C, rescaled), 1);
}

TEST(DsInitMultiplier, FallsWithTheLayerByThePapersExponentOrTheCodes) {
  const Shape shape = deep(20, 20);
  const VariantOptions code{.ds_init_exponent = 0.25};
  for (Role role : kLayerWeights) {
    for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
      EXPECT_EQ(ds_init_multiplier(role, at(stack, shape, 1), Regime::A, {}), 1);
      EXPECT_NEAR(ds_init_multiplier(role, at(stack, shape, 16), Regime::A, {}), 0.25, 1e-12);
      EXPECT_NEAR(ds_init_multiplier(role, at(stack, shape, 16), Regime::A, code), 0.5, 1e-12);
    }
  }
  EXPECT_EQ(ds_init_multiplier(Role::Embedding, at(Stack::Encoder, shape, 16), Regime::A, {}), 1);
}

TEST(FixupMultiplier, CountsAllResidualBlocksOfBothStacks) {
  // B = 2 * 14 + 3 * 12 = 64: B^-1/6 = 1/2, B^-1/2 = 1/8.
  const Shape shape = deep(14, 12);
  for (Sublayer sublayer : {Sublayer::SelfAttention, Sublayer::CrossAttention}) {
    const Place place = at(Stack::Decoder, shape, 3, sublayer);
    for (Role role : {Role::Query, Role::Key, Role::Value}) {
      EXPECT_NEAR(fixup_multiplier(role, place, Regime::A, {}), 0.5, 1e-12);
    }
  }
  EXPECT_NEAR(fixup_multiplier(Role::HiddenIn, at(Stack::Encoder, shape), Regime::A, {}), 0.125, 1e-12);
  // One stack alone: B = 2 * 32.
  EXPECT_NEAR(fixup_multiplier(Role::HiddenIn, at(Stack::Decoder, alone(Form::Decoder, 32)), Regime::A, {}), 0.125,
              1e-12);
}

TEST(FixupMultiplier, ZeroesWhatWritesIntoTheStreamAndAnUntiedOutput) {
  const Place place = at(Stack::Decoder, deep(6, 6));
  for (Role role : {Role::AttentionOutput, Role::HiddenOut, Role::OutputProjection}) {
    EXPECT_EQ(fixup_multiplier(role, place, Regime::A, {}), 0);
  }
  EXPECT_EQ(fixup_multiplier(Role::Embedding, place, Regime::A, {}), 1);
}

TEST(LnScalingMultiplier, TakesTheDepthOutOfRegimeGAndLeavesTheOthersAlone) {
  const Place place = at(Stack::Decoder, deep(6, 18), 5);
  for (Role role : {Role::AttentionOutput, Role::HiddenOut}) {
    EXPECT_NEAR(ln_scaling_multiplier(role, place, Regime::G, {}), 6, 1e-12);  // sqrt(2 * 18)
    EXPECT_EQ(ln_scaling_multiplier(role, place, Regime::A, {}), 1);
  }
  EXPECT_EQ(ln_scaling_multiplier(Role::HiddenIn, place, Regime::G, {}), 1);
  EXPECT_EQ(ln_scaling_multiplier(Role::Value, place, Regime::G, {}), 1);
}

}  // namespace
}  // namespace plumb
