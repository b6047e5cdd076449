// The one equation against plain arithmetic, and the sites of every row of the table.

#include "plumb/residual/residual.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "plumb/ops/dropout.h"

#include "residual/support/plans.h"

namespace plumb::test {
namespace {

using enum Factor::Kind;

const ops::Packed kResidualRows({3, 1, 2});

/// A sub-layer that is neither linear nor local to an element, so that scales and shifts cannot hide in it.
at::Tensor sublayer(const at::Tensor& u) {
  return (0.7 * u).sin() + 0.2 * u.flip(1) + 0.1;
}

Rows plain_sublayer(const Rows& u) {
  Rows result = u;
  for (size_t i = 0; i < u.size(); ++i) {
    for (size_t j = 0; j < u[i].size(); ++j)
      result[i][j] = std::sin(0.7 * u[i][j]) + 0.2 * u[i][u[i].size() - 1 - j] + 0.1;
  }
  return result;
}

/// factor[j] * x[i][j]; a single factor serves all columns.
Rows times(const Rows& x, const Row& factor) {
  Rows result = x;
  for (Row& row : result) {
    for (size_t j = 0; j < row.size(); ++j) row[j] *= factor[factor.size() == 1 ? 0 : j];
  }
  return result;
}

Rows plus(const Rows& a, const Rows& b, double sign = 1) {
  Rows result = a;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < a[i].size(); ++j) result[i][j] += sign * b[i][j];
  }
  return result;
}

bool is_normalised(const at::Tensor& x) {
  const at::Tensor mean = x.mean(1), variance = x.var(1, /*unbiased=*/false);
  return mean.abs().max().item<double>() < 1e-6 && (variance - 1).abs().max().item<double>() < 1e-3;
}

// ---- every row ----

/// Builds the residual of one place as the table has it (norms with weight 1 and bias 0) and watches it once.
void expect_norms_where_the_table_says(const Variant& row, Stack stack, Sublayer kind, int layer) {
  const StackPlan plan = plan_of(row, stack);
  const Rule rule = plan.rule(kind, layer + 1);
  ParameterStore store;
  const Parameter scalar = declare_layer_scalar(store, plan, layer);
  const Residual residual(store, plan, kind, layer, /*dropout=*/0, scalar);
  store.allocate(at::kDouble);
  store.draw(1);

  at::Tensor seen;
  TapRecorder taps;
  RememberedFlow flow;
  const at::Tensor x = random(6, 1), bottom = random(6, 2);
  const at::Tensor out = residual(x, bottom, kResidualRows, [&](const at::Tensor& u) { return sublayer(seen = u); },
                                  flow, {.observer = &taps});

  EXPECT_EQ(is_normalised(seen / rule.c_in), rule.norm_in) << row.equation;
  EXPECT_EQ(is_normalised(taps.records()[1].value), rule.norm_out) << row.equation;
  EXPECT_EQ(is_normalised(out - bottom * rule.alpha_out), rule.norm_post) << row.equation;
  ASSERT_EQ(flow.branches.size(), 1U);
  EXPECT_TRUE(flow.branches[0].is_same(taps.records()[1].value));
}

class ResidualOfEveryRow : public ::testing::TestWithParam<std::string_view> {};

TEST_P(ResidualOfEveryRow, NormalisesExactlyWhereTheTableSays) {
  const Variant& row = *find_variant(GetParam());
  for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
    const Shape shape = plan_of(row, stack).shape;
    for (Sublayer kind : shape.order(stack)) {
      for (int layer : {0, shape.layers(stack) - 1}) expect_norms_where_the_table_says(row, stack, kind, layer);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ResidualOfEveryRow, ::testing::ValuesIn(variant_names().begin(), variant_names().end()),
                         [](const auto& info) { return std::string(info.param); });

// ---- the equation ----

/// What comes out of a residual that the rule describes, with random parameters, for encoder layer 2.
struct Outcome {
  ParameterStore store;
  at::Tensor x = random(6, 1), bottom = random(6, 2), out;

  explicit Outcome(const Rule& rule, Sublayer kind = Sublayer::FeedForward, NormKind norm = NormKind::Layer) {
    const Variant row = row_with(rule);
    const StackPlan plan = plan_of(row, Stack::Encoder, norm);
    const Residual residual(store, plan, kind, 2, /*dropout=*/0.5, {});
    allocate_random(store, 3);
    RememberedFlow flow;
    out = residual(x, bottom, kResidualRows, sublayer, flow, {});
  }

  Row number(const std::string& name) const { return vector_of(store, "encoder.layers.2." + name); }
  Rows normed(const Rows& rows, const std::string& name) const {
    return plain_layer_norm(rows, store, "encoder.layers.2." + name);
  }
};

TEST(Residual, WithoutAnyPartIsASum) {
  const Outcome o{Rule{}};
  EXPECT_TRUE(o.store.entries().empty());
  EXPECT_LE(largest_gap(o.out, plus(rows_of(o.x), plain_sublayer(rows_of(o.x)))), 1e-12);
}

TEST(Residual, IsTheEquationWithLearnedFactorsAndBothInnerNorms) {
  const Outcome o{{.norm_in = true,
                   .norm_out = true,
                   .c_in = 0.7,
                   .input_shift = true,
                   .r = {Vector, 1},
                   .g = {Scalar, 1},
                   .alpha = 0.3,
                   .beta = 0.6}};
  const Rows x = rows_of(o.x);
  const Rows shifted = plus(x, times(Rows(6, Row(kWidth, 1)), o.number("ffn_input_shift")), -1);
  const Rows u = times(o.normed(shifted, "final_layer_norm"), {0.7});
  const Rows a = o.normed(plain_sublayer(u), "final_output_layer_norm");
  const Rows z = plus(times(x, o.number("ffn_skip_scale")), times(a, o.number("ffn_branch_scale")));
  EXPECT_LE(largest_gap(o.out, plus(times(rows_of(o.bottom), {0.3}), times(z, {0.6}))), 1e-12);
}

TEST(Residual, IsTheEquationWithConstantsAndAVectorOnTheBranchAndANormBehind) {
  const Outcome o{{.norm_post = true, .r = {Constant, 1.7}, .g = {Vector, 1}, .alpha = 1}, Sublayer::SelfAttention};
  const Rows x = rows_of(o.x);
  const Rows z = plus(times(x, {1.7}), times(plain_sublayer(x), o.number("self_attn_branch_scale")));
  EXPECT_LE(largest_gap(o.out, o.normed(plus(z, rows_of(o.bottom)), "self_attn_layer_norm")), 1e-12);
}

TEST(Residual, IsTheEquationWithAConstantBranchAndAScalarSkip) {
  const Outcome o{{.r = {Scalar, 1}, .g = {Constant, -0.4}, .alpha = -2, .beta = 3}, Sublayer::CrossAttention};
  const Rows x = rows_of(o.x);
  const Rows z = plus(times(x, o.number("encoder_attn_skip_scale")), times(plain_sublayer(x), {-0.4}));
  EXPECT_LE(largest_gap(o.out, plus(times(rows_of(o.bottom), {-2}), times(z, {3}))), 1e-12);
}

TEST(Residual, AddsTheBottomBehindTheNorm) {
  const Outcome o{{.norm_post = true, .alpha_out = 0.8}};
  const Rows normed = o.normed(plus(rows_of(o.x), plain_sublayer(rows_of(o.x))), "final_layer_norm");
  EXPECT_LE(largest_gap(o.out, plus(normed, times(rows_of(o.bottom), {0.8}))), 1e-12);
}

// The shift moves what the sub-layer reads, never the skip.
TEST(Residual, ShiftsTheInputOfTheBranchOnly) {
  const Outcome o{{.input_shift = true}};
  const Rows x = rows_of(o.x);
  const Rows shifted = plus(x, Rows(6, Row(kWidth, o.number("ffn_input_shift")[0])), -1);
  EXPECT_LE(largest_gap(o.out, plus(x, plain_sublayer(shifted))), 1e-12);
}

TEST(Residual, UsesTheNormKindOfThePlan) {
  const Outcome o{{.norm_post = true}, Sublayer::FeedForward, NormKind::Dyt};
  const Row weight = o.number("final_layer_norm.weight"), bias = o.number("final_layer_norm.bias");
  const double alpha = o.number("final_layer_norm.alpha")[0];
  Rows z = plus(rows_of(o.x), plain_sublayer(rows_of(o.x)));
  for (Row& row : z) {
    for (size_t j = 0; j < row.size(); ++j) row[j] = weight[j] * std::tanh(alpha * row[j]) + bias[j];
  }
  EXPECT_LE(largest_gap(o.out, z), 1e-12);
}

// The components of x and of its bottom, and the branch as one more, go through the equation one by one.
TEST(Residual, OfComponentsAddsUpToTheResidualOfTheirSum) {
  const at::NoGradGuard no_grad;
  const Rule rules[] = {{},
                        {.r = {Constant, 1.7}, .g = {Scalar, 1}, .alpha = 0.3, .beta = 0.6},
                        {.norm_post = true, .r = {Vector, 1}, .g = {Vector, 1}, .alpha = 1},
                        {.norm_post = true, .g = {Constant, 0.4}, .alpha_out = 0.8}};
  for (const Rule& rule : rules) {
    for (NormKind norm : {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt}) {
      ParameterStore store;
      const Variant row = row_with(rule);
      const Residual residual(store, plan_of(row, Stack::Encoder, norm), Sublayer::FeedForward, 2, /*dropout=*/0, {});
      allocate_random(store, 3);
      const at::Tensor bottom = at::stack({random(6, 1), random(6, 2)});
      const at::Tensor x = at::stack({random(6, 3), random(6, 4), random(6, 5)}), a = random(6, 6);
      RememberedFlow flow;
      const at::Tensor whole = residual(x.sum(0), bottom.sum(0), kRows, [&](const at::Tensor&) { return a; }, flow, {});
      const at::Tensor components = residual.of_components(x, bottom, a);
      EXPECT_EQ(components.size(0), 4);
      EXPECT_LE(difference(components.sum(0), rows_of(whole)), 1e-12) << word(norm);
    }
  }
}

TEST(Residual, StartsItsFactorsWhereTheRuleSays) {
  const Variant row = row_with({.input_shift = true, .r = {Vector, 2.5}, .g = {Scalar, 0.25}});
  ParameterStore store;
  const Residual residual(store, plan_of(row), Sublayer::FeedForward, 0, 0, {});
  store.allocate(at::kDouble);
  store.draw(1);
  EXPECT_EQ(vector_of(store, "encoder.layers.0.ffn_skip_scale"), Row(kWidth, 2.5));
  EXPECT_EQ(vector_of(store, "encoder.layers.0.ffn_branch_scale"), Row(1, 0.25));
  EXPECT_EQ(vector_of(store, "encoder.layers.0.ffn_input_shift"), Row(1, 0));
}

// ---- shared scalar, dropout, names ----

TEST(LayerScalar, IsSharedByTheSublayersOfALayer) {
  const Variant& row = *find_variant("rezero");
  const StackPlan plan = plan_of(row, Stack::Decoder);
  ParameterStore store;
  const Parameter scalar = declare_layer_scalar(store, plan, 1);
  const Residual first(store, plan, Sublayer::SelfAttention, 1, 0, scalar);
  const Residual last(store, plan, Sublayer::FeedForward, 1, 0, scalar);
  store.allocate(at::kDouble);
  store.draw(1);
  ASSERT_EQ(store.entries().size(), 1U);
  EXPECT_EQ(vector_of(store, "decoder.layers.1.branch_scale"), Row(1, 0));

  RememberedFlow flow;
  const at::Tensor x = random(6, 1);
  const auto run = [&] {
    return last(first(x, x, kResidualRows, sublayer, flow, {}), x, kResidualRows, sublayer, flow, {});
  };
  EXPECT_TRUE(at::equal(run(), x)) << "ReZero starts as the identity";
  store.value("decoder.layers.1.branch_scale").fill_(0.3);
  const Rows middle = plus(rows_of(x), times(plain_sublayer(rows_of(x)), {0.3}));
  EXPECT_LE(largest_gap(run(), plus(middle, times(plain_sublayer(middle), {0.3}))), 1e-12);
}

TEST(LayerScalar, IsAbsentWhereTheRowHasNone) {
  ParameterStore store;
  EXPECT_FALSE(static_cast<bool>(declare_layer_scalar(store, plan_of(*find_variant("fixup")), 0)));
  EXPECT_TRUE(store.entries().empty());
}

TEST(Residual, DropsPartsOfTheBranchInTrainingAndBeforeTheBranchScale) {
  const Variant row = row_with({.g = {Constant, 2}});
  ParameterStore store;
  const Residual residual(store, plan_of(row), Sublayer::FeedForward, 2, /*dropout=*/0.5, {});
  store.allocate(at::kDouble);
  RememberedFlow flow;
  const at::Tensor x = random(6, 1);
  const Pass training{.training = true, .seed = 4, .step = 9};
  const at::Tensor out = residual(x, x, kResidualRows, sublayer, flow, training);
  const ops::Dropout site = training.dropout(0.5, DropoutKind::Branch, Stack::Encoder, Sublayer::FeedForward, 2);
  const at::Tensor keep = ops::dropout(at::ones({6, kWidth}, at::kDouble), kResidualRows, site);
  EXPECT_GT((keep == 0).sum().item<int64_t>(), 0);
  EXPECT_LE((out - x - 2 * keep * sublayer(x)).abs().max().item<double>(), 1e-12);
  EXPECT_LE((flow.branches[0] - keep * sublayer(x)).abs().max().item<double>(), 1e-12);
  EXPECT_LE((residual(x, x, kResidualRows, sublayer, flow, {}) - x - 2 * sublayer(x)).abs().max().item<double>(),
            1e-12);
}

TEST(Names, OfLayersNormsAndScalesAreFairseqs) {
  EXPECT_EQ(layer_name(Stack::Decoder, 3), "decoder.layers.3");
  EXPECT_EQ(norm_name(Stack::Encoder, 0, Sublayer::SelfAttention), "encoder.layers.0.self_attn_layer_norm");
  EXPECT_EQ(norm_name(Stack::Decoder, 3, Sublayer::CrossAttention), "decoder.layers.3.encoder_attn_layer_norm");
  EXPECT_EQ(norm_name(Stack::Decoder, 3, Sublayer::FeedForward), "decoder.layers.3.final_layer_norm");
  EXPECT_EQ(skip_scale_name(Stack::Decoder, 3, Sublayer::FeedForward), "decoder.layers.3.ffn_skip_scale");
}

}  // namespace
}  // namespace plumb::test
