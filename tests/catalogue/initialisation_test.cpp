// The base regimes of mathematics.md 1.3 in closed form.

#include "plumb/catalogue/initialisation.h"

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "plumb/catalogue/variants.h"

namespace plumb {
namespace {

constexpr int kWidth = 512, kFfn = 2048, kLayers = 8;
constexpr Shape kShape{.encoder_layers = kLayers, .decoder_layers = 3, .width = kWidth, .ffn_width = kFfn};
constexpr Place kPlace{Stack::Encoder, Sublayer::SelfAttention, 2, kShape};
constexpr Regime kRegimes[] = {Regime::A, Regime::B, Regime::C, Regime::D, Regime::T, Regime::G, Regime::X};

int fan_out(Role role) {
  return role == Role::HiddenIn || role == Role::HiddenInBias ? kFfn : kWidth;
}
int fan_in(Role role) {
  return role == Role::HiddenOut || role == Role::HiddenOutBias ? kFfn : kWidth;
}

Fill fill(Regime regime, Role role, bool truncated = false) {
  return base_fill(regime, role, kPlace, fan_out(role), fan_in(role), truncated);
}

Fill uniform(double bound) {
  return {.kind = Fill::Kind::Uniform, .value = bound};
}
Fill normal(double sigma) {
  return {.kind = Fill::Kind::Normal, .value = sigma};
}

void expect_same(const Fill& actual, const Fill& expected, Regime regime, Role role) {
  EXPECT_EQ(actual.kind, expected.kind) << word(regime) << ' ' << word(role);
  EXPECT_NEAR(actual.value, expected.value, 1e-12) << word(regime) << ' ' << word(role);
  EXPECT_EQ(actual.mirror, Fill::Mirror::None);
}

TEST(BaseRegimes, GiveEveryRoleItsPublishedDistribution) {
  const double d = kWidth, f = kFfn;
  const Fill zero, fused = uniform(std::sqrt(6 / (4 * d))), square = uniform(std::sqrt(6 / (2 * d)));
  const Fill ffn = uniform(std::sqrt(6 / (d + f))), by_d = uniform(1 / std::sqrt(d)), by_f = uniform(1 / std::sqrt(f));
  const Fill small = normal(0.02), written = normal(0.02 / 4);  // sqrt(2 * 8 layers) = 4
  // q, k | v | q, k, v bias | W_O | b_O | W1 | W2 | b1 | b2
  const std::map<Regime, std::array<Fill, 9>> table = {
      {Regime::A, {fused, fused, zero, square, zero, ffn, ffn, zero, zero}},
      {Regime::B, {fused, fused, by_d, square, zero, ffn, ffn, zero, zero}},
      {Regime::C, {fused, fused, by_d, square, zero, by_d, by_f, by_d, by_f}},
      {Regime::D, {by_d, by_d, by_d, by_d, by_d, by_d, by_f, by_d, by_f}},
      {Regime::G, {small, small, zero, written, zero, small, written, zero, zero}},
      {Regime::X,
       {normal(std::sqrt(1 / d)), normal(std::sqrt(1 / d)), zero, normal(std::sqrt(1 / d)), zero,
        normal(std::sqrt(2 / (d + f))), normal(std::sqrt(2 / (d + f))), zero, zero}},
  };
  for (const auto& [regime, row] : table) {
    for (Role role : {Role::Query, Role::Key}) expect_same(fill(regime, role), row[0], regime, role);
    expect_same(fill(regime, Role::Value), row[1], regime, Role::Value);
    for (Role role : {Role::QueryBias, Role::KeyBias, Role::ValueBias}) {
      expect_same(fill(regime, role), row[2], regime, role);
    }
    expect_same(fill(regime, Role::AttentionOutput), row[3], regime, Role::AttentionOutput);
    expect_same(fill(regime, Role::AttentionOutputBias), row[4], regime, Role::AttentionOutputBias);
    expect_same(fill(regime, Role::HiddenIn), row[5], regime, Role::HiddenIn);
    expect_same(fill(regime, Role::HiddenOut), row[6], regime, Role::HiddenOut);
    expect_same(fill(regime, Role::HiddenInBias), row[7], regime, Role::HiddenInBias);
    expect_same(fill(regime, Role::HiddenOutBias), row[8], regime, Role::HiddenOutBias);
  }
}

// Regime T belongs to a square feed-forward.
TEST(BaseRegimes, OfTheTheoryStartWithUniformAttention) {
  const auto square = [](Role role) { return base_fill(Regime::T, role, kPlace, kWidth, kWidth, false); };
  const Fill weight = normal(1 / std::sqrt(512.0));
  for (Role role : {Role::Value, Role::HiddenIn, Role::HiddenOut}) expect_same(square(role), weight, Regime::T, role);
  for (Role role : {Role::Query, Role::Key, Role::QueryBias, Role::ValueBias, Role::HiddenInBias}) {
    expect_same(square(role), {}, Regime::T, role);
  }
}

TEST(BaseRegimes, DivideTheOutputsOfRegimeGByTheDepthOfTheirOwnStack) {
  const Place decoder{Stack::Decoder, Sublayer::FeedForward, 1, kShape};
  const Fill deep = base_fill(Regime::G, Role::HiddenOut, decoder, kWidth, kFfn, false);
  EXPECT_NEAR(deep.value, 0.02 / std::sqrt(2.0 * 3), 1e-12);
}

TEST(Tables, AreNormalWithTheWidthOrGptsDeviation) {
  for (Role role : {Role::Embedding, Role::Position, Role::OutputProjection}) {
    for (Regime regime : kRegimes) {
      const double sigma = regime == Regime::G ? 0.02 : 1 / std::sqrt(512.0);
      expect_same(base_fill(regime, role, kPlace, 0, 0, false), normal(sigma), regime, role);
    }
  }
}

TEST(Truncation, TouchesNormalFillsOnly) {
  EXPECT_EQ(fill(Regime::G, Role::Value, true).kind, Fill::Kind::TruncatedNormal);
  EXPECT_EQ(fill(Regime::G, Role::Embedding, true).kind, Fill::Kind::TruncatedNormal);
  EXPECT_EQ(fill(Regime::G, Role::ValueBias, true).kind, Fill::Kind::Constant);
  EXPECT_EQ(fill(Regime::A, Role::Value, true).kind, Fill::Kind::Uniform);
}

/// Simpson's rule over [a, b].
template <class Function>
double integral(Function f, double a, double b) {
  constexpr int kSteps = 2000;
  const double h = (b - a) / kSteps;
  double sum = f(a) + f(b);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 ? 4 : 2) * f(a + i * h);
  return sum * h / 3;
}

TEST(StandardDeviation, OfATruncatedNormalIsThatOfItsDensity) {
  const auto density = [](double x) { return std::exp(-x * x / 2); };
  const double mass = integral(density, -3, 3);
  const double variance = integral([&](double x) { return x * x * density(x); }, -3, 3) / mass;
  const Fill cut{.kind = Fill::Kind::TruncatedNormal, .value = 0.02};
  EXPECT_NEAR(cut.standard_deviation(), 0.02 * std::sqrt(variance), 1e-9);
}

TEST(StandardDeviation, OfAUniformIsItsBoundOverRootThree) {
  const double variance = integral([](double x) { return x * x; }, -0.3, 0.3) / 0.6;
  EXPECT_NEAR(uniform(0.3).standard_deviation(), std::sqrt(variance), 1e-12);
  EXPECT_EQ(normal(0.3).standard_deviation(), 0.3);
  EXPECT_EQ((Fill{.value = 7}.standard_deviation()), 0);
}

TEST(ScaledFill, KeepsItsKindUnlessTheFactorIsZero) {
  EXPECT_EQ(uniform(0.5).scaled(0.5).kind, Fill::Kind::Uniform);
  EXPECT_EQ(uniform(0.5).scaled(0.5).value, 0.25);
  EXPECT_EQ(normal(0.5).scaled(0).kind, Fill::Kind::Constant);
  EXPECT_EQ(normal(0.5).scaled(0).value, 0);
}

// The published consequence: the variance of the FFN branch for an input of unit variance, d f Var(w1) Var(w2) / 2.
TEST(FeedForwardBranch, HasThePublishedVariance) {
  const auto variance = [](Regime regime, int f) {
    const double w1 = base_fill(regime, Role::HiddenIn, kPlace, f, kWidth, false).standard_deviation();
    const double w2 = base_fill(regime, Role::HiddenOut, kPlace, kWidth, f, false).standard_deviation();
    return 0.5 * kWidth * f * w1 * w1 * w2 * w2;
  };
  for (Regime regime : {Regime::A, Regime::B, Regime::X}) {
    EXPECT_NEAR(variance(regime, kWidth), 0.50, 1e-3);
    EXPECT_NEAR(variance(regime, 2 * kWidth), 0.444, 1e-3);
    EXPECT_NEAR(variance(regime, 4 * kWidth), 0.32, 1e-3);
  }
  for (Regime regime : {Regime::C, Regime::D}) {
    for (int f : {kWidth, 2 * kWidth, 4 * kWidth}) EXPECT_NEAR(variance(regime, f), 0.0556, 1e-4);
  }
}

Fill fill_of_row(std::string_view row, Role role, Regime regime, const Place& place = kPlace) {
  return fill_of(*find_variant(row), regime, role, place, fan_out(role), fan_in(role), {}, false);
}

TEST(FillOfARow, IsTheRegimeTimesTheMultiplier) {
  // T-Fixup: the values start with Xavier's deviation 1/sqrt(d) times 0.67 N^-1/4, queries with 1/sqrt(2 d).
  const double d = kWidth, scale = 0.67 / std::pow(8, 0.25);
  EXPECT_NEAR(fill_of_row("t_fixup", Role::Value, Regime::B).standard_deviation(), scale / std::sqrt(d), 1e-12);
  EXPECT_NEAR(fill_of_row("t_fixup", Role::Query, Regime::B).standard_deviation(), 1 / std::sqrt(2 * d), 1e-12);
  EXPECT_NEAR(fill_of_row("post_ln", Role::Query, Regime::A).standard_deviation(), 1 / std::sqrt(2 * d), 1e-12);
}

// mathematics.md 4.10: depth-scaled output matrices would cancel the benefit.
TEST(FillOfARow, IsNotScaledByDepthUnderLnScaling) {
  EXPECT_NEAR(fill_of_row("ln_scaling", Role::HiddenOut, Regime::G).standard_deviation(), 0.02, 1e-12);
  EXPECT_NEAR(fill_of_row("pre_ln", Role::HiddenOut, Regime::G).standard_deviation(), 0.005, 1e-12);
}

TEST(FillOfARow, IsZeroWhereFixupWritesIntoTheStream) {
  EXPECT_EQ(fill_of_row("fixup", Role::AttentionOutput, Regime::A).kind, Fill::Kind::Constant);
  EXPECT_EQ(fill_of_row("fixup", Role::HiddenOut, Regime::A).value, 0);
}

TEST(FillOfARow, IsMirroredInTheFeedForwardOfLookLinearOnly) {
  EXPECT_EQ(fill_of_row("look_linear", Role::HiddenIn, Regime::A).mirror, Fill::Mirror::Rows);
  EXPECT_EQ(fill_of_row("look_linear", Role::HiddenOut, Regime::A).mirror, Fill::Mirror::Columns);
  EXPECT_EQ(fill_of_row("look_linear", Role::Value, Regime::A).mirror, Fill::Mirror::None);
  EXPECT_EQ(fill_of_row("post_ln", Role::HiddenIn, Regime::A).mirror, Fill::Mirror::None);
}

// mathematics.md 1.3, 3.8, 3.9: DeepNorm draws Xavier normals, T-Fixup scales fairseq 0.9.
TEST(RegimeOfARow, IsItsOwnWhereThePaperNeedsOne) {
  EXPECT_EQ(find_variant("t_fixup")->regime, Regime::B);
  EXPECT_EQ(find_variant("deepnorm")->regime, Regime::X);
  EXPECT_EQ(find_variant("post_ln")->regime, Regime::A);
}

TEST(Descriptions, TellTheRegimesApart) {
  std::set<std::string_view> seen;
  for (Regime regime : kRegimes) EXPECT_TRUE(seen.insert(description(regime)).second) << word(regime);
  EXPECT_FALSE(seen.contains(""));
}

}  // namespace
}  // namespace plumb
