// What flows between layers, with random parameters, against plain loops.

#include "plumb/residual/wiring.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "residual/support/plans.h"

namespace plumb::test {
namespace {

/// A wiring of the named row in the encoder (5 layers), with random parameters.
struct Wired {
  ParameterStore store;
  std::unique_ptr<Wiring> wiring;

  explicit Wired(std::string_view row, Stack stack = Stack::Encoder, double dual_scale = 1) {
    StackPlan plan = plan_of(*find_variant(row), stack);
    plan.options.residual_dual_scale = dual_scale;
    wiring = make_wiring(store, plan);
    allocate_random(store, 5);
  }
};

Rows weighted_sum(const std::vector<Rows>& history, const Row& weights) {
  Rows result(history[0].size(), Row(kWidth, 0));
  for (size_t k = 0; k < history.size(); ++k) {
    for (size_t i = 0; i < result.size(); ++i) {
      for (size_t j = 0; j < result[i].size(); ++j) result[i][j] += weights[k] * history[k][i][j];
    }
  }
  return result;
}

Rows sum_of(const Rows& a, const Rows& b) {
  return weighted_sum({a, b}, {1, 1});
}

/// A branch that gives exactly `a`.
ops::ResidualTerms branch(const at::Tensor& a) {
  return {.f = a, .rows = ops::Packed({a.size(0)})};
}

TEST(Chain, HandsOnWhatTheLastLayerGave) {
  const Wired w("post_ln");
  EXPECT_TRUE(w.store.entries().empty());
  const at::Tensor x0 = random(4, 1), y0 = random(4, 2), y1 = random(4, 3);
  const auto flow = w.wiring->start(x0);
  EXPECT_TRUE(flow->enter(0).is_same(x0));
  flow->branch(branch(random(4, 9)));
  flow->leave(0, y0);
  EXPECT_TRUE(flow->enter(1).is_same(y0));
  flow->leave(1, y1);
  EXPECT_TRUE(flow->out().is_same(y1));
}

TEST(Chain, EndsWithTheFinalNorm) {
  const Wired w("pre_ln", Stack::Decoder);
  EXPECT_EQ(w.store.entries().size(), 2U);
  const at::Tensor y = random(4, 2);
  const auto flow = w.wiring->start(random(4, 1));
  flow->leave(0, y);
  EXPECT_LE(largest_gap(flow->out(), plain_layer_norm(rows_of(y), w.store, "decoder.layer_norm")), 1e-12);
}

TEST(Chain, ObeysThePlanAboutTheFinalNorm) {
  StackPlan plan = plan_of(*find_variant("pre_ln"));
  plan.final_norm = false;
  ParameterStore store;
  make_wiring(store, plan);
  EXPECT_TRUE(store.entries().empty());
}

// mathematics.md 3.12: the encoder ends in s (x - b), the decoder in x - b.
TEST(Chain, EndsWithTheShiftOfFixupAndItsScaleInTheEncoderOnly) {
  const at::Tensor y = random(4, 2);
  const Wired encoder("fixup"), decoder("fixup", Stack::Decoder);
  EXPECT_FALSE(decoder.store.has("decoder.output_scale"));
  const double s = vector_of(encoder.store, "encoder.output_scale")[0];
  const double b = vector_of(encoder.store, "encoder.output_shift")[0];
  EXPECT_LE(largest_gap(encoder.wiring->finish(y), rows_of(s * (y - b))), 1e-12);
  EXPECT_LE(largest_gap(decoder.wiring->finish(y), rows_of(y - vector_of(decoder.store, "decoder.output_shift")[0])),
            1e-12);
}

/// Runs a flow through five layers that give the outputs `ys`, and compares every input and the end.
class Dlcl : public ::testing::Test {
 protected:
  std::vector<at::Tensor> ys = {random(4, 1), random(4, 2), random(4, 3), random(4, 4), random(4, 5), random(4, 6)};

  static std::string norm(size_t k) { return "encoder.history.layer_norms." + std::to_string(k); }
  static Row weights(const Wired& w, size_t row) {
    return vector_of(w.store, "encoder.history.weights." + std::to_string(row));
  }

  /// What each of layers 0 .. 4 reads, and last what the stack gives.
  std::vector<at::Tensor> flow_through(const Wired& w) const {
    std::vector<at::Tensor> inputs;
    const auto flow = w.wiring->start(ys[0]);
    for (int layer = 0; layer < 5; ++layer) {
      inputs.push_back(flow->enter(layer));
      flow->branch(branch(random(4, 50)));
      flow->leave(layer, ys[static_cast<size_t>(layer) + 1]);
    }
    inputs.push_back(flow->out());
    return inputs;
  }
};

TEST_F(Dlcl, BeforeLayersMixesNormedOutputsAndTheBareEmbedding) {
  const Wired w("dlcl_pre");
  const auto inputs = flow_through(w);
  std::vector<Rows> history = {rows_of(ys[0])};
  for (size_t l = 0; l < 5; ++l) {
    EXPECT_LE(largest_gap(inputs[l], weighted_sum(history, weights(w, l))), 1e-12) << l;
    history.push_back(plain_layer_norm(rows_of(ys[l + 1]), w.store, norm(l + 1)));
  }
  const Rows last = weighted_sum(history, weights(w, 5));
  EXPECT_LE(largest_gap(inputs[5], plain_layer_norm(last, w.store, "encoder.layer_norm")), 1e-12);
}

TEST_F(Dlcl, AfterLayersNormsTheMixExceptThatOfTheEmbeddingAlone) {
  const Wired w("dlcl_post");
  const auto inputs = flow_through(w);
  std::vector<Rows> history = {rows_of(ys[0])};
  EXPECT_LE(largest_gap(inputs[0], weighted_sum(history, weights(w, 0))), 1e-12);
  for (size_t l = 1; l <= 5; ++l) {
    history.push_back(rows_of(ys[l]));
    const Rows mixed = weighted_sum(history, weights(w, l));
    EXPECT_LE(largest_gap(inputs[l], plain_layer_norm(mixed, w.store, norm(l))), 1e-12) << l;
  }
  EXPECT_FALSE(w.store.has("encoder.layer_norm.weight"));
}

// mathematics.md 3.7: (L+1)(L+2)/2 numbers and L norms; every row starts as an average.
TEST_F(Dlcl, HasALowerTriangleOfWeightsThatStartsAsAverages) {
  Wired w("dlcl_post");
  EXPECT_EQ(w.store.parameter_count(), 6 * 7 / 2 + 5 * 2 * kWidth);
  w.store.draw(1);
  for (size_t row = 0; row <= 5; ++row) {
    EXPECT_EQ(weights(w, row), Row(row + 1, 1 / static_cast<double>(row + 1)));
  }
}

// mathematics.md 7: one-hot weights on the last entry give the plain stack, and one norm per layer.
TEST_F(Dlcl, WithOneHotWeightsReadsTheLastLayerOnly) {
  const Wired w("dlcl_pre");
  for (size_t row = 0; row <= 5; ++row) {
    at::Tensor weights = w.store.value("encoder.history.weights." + std::to_string(row));
    weights.zero_();
    weights[static_cast<int64_t>(row)] = 1;
  }
  const auto inputs = flow_through(w);
  EXPECT_LE(largest_gap(inputs[0], rows_of(ys[0])), 1e-12);
  for (size_t l = 1; l < 5; ++l) {
    EXPECT_LE(largest_gap(inputs[l], plain_layer_norm(rows_of(ys[l]), w.store, norm(l))), 1e-12) << l;
  }
}

// mathematics.md 4.4: r_0 = s x_0, r <- r + s a, out = x + LN_f(r) with an epsilon of 1e-7.
TEST(Dual, AddsASecondStreamThatIsNormalisedAtTheEndOnly) {
  for (double s : {1.0, 0.05}) {
    const Wired w("residual_dual", Stack::Decoder, s);
    const at::Tensor x0 = random(4, 1);
    const auto flow = w.wiring->start(x0);
    Rows second = weighted_sum({rows_of(x0)}, {s});
    at::Tensor y;
    for (int layer = 0; layer < 4; ++layer) {
      EXPECT_TRUE(flow->enter(layer).is_same(layer == 0 ? x0 : y));
      for (uint64_t kind = 0; kind < 3; ++kind) {
        const at::Tensor a = random(4, 100 + 10 * static_cast<uint64_t>(layer) + kind);
        flow->branch(branch(a));
        second = weighted_sum({second, rows_of(a)}, {1, s});
      }
      flow->leave(layer, y = random(4, 200 + static_cast<uint64_t>(layer)));
    }
    const Rows expected = sum_of(rows_of(y), plain_layer_norm(second, w.store, "decoder.layer_norm", 1e-7));
    EXPECT_LE(largest_gap(flow->out(), expected), 1e-12) << s;
    EXPECT_EQ(w.store.entries().size(), 2U);
  }
}

TEST(Dual, HasAnEpsilonSmallEnoughForAShrunkenStream) {
  const Wired w("residual_dual", Stack::Encoder, /*dual_scale=*/1e-2);
  const at::Tensor x0 = 0.1 * random(4, 1), y = random(4, 2);
  const auto flow = w.wiring->start(x0);
  flow->leave(0, y);
  const Rows expected = sum_of(rows_of(y), plain_layer_norm(rows_of(1e-2 * x0), w.store, "encoder.layer_norm", 1e-7));
  EXPECT_LE(largest_gap(flow->out(), expected), 1e-12);
}

// A probe may run one model twice before it calls backward: flows must not share anything.
TEST(Flows, OfOneWiringDoNotMix) {
  for (std::string_view row : {"post_ln", "dlcl_pre", "dlcl_post", "residual_dual"}) {
    const Wired w(row);
    const at::Tensor a = random(4, 1), b = random(3, 2), y = random(4, 3);
    const auto first = w.wiring->start(a), second = w.wiring->start(b);
    second->branch(branch(b));
    second->leave(0, b);
    first->branch(branch(a));
    first->leave(0, y);
    const auto alone = w.wiring->start(a);
    alone->branch(branch(a));
    alone->leave(0, y);
    EXPECT_TRUE(at::equal(first->out(), alone->out())) << row;
  }
}

// A wiring says once how states flow and how the components flow that add up to them.
TEST(Flows, OfComponentsAddUpToTheFlowOfTheirSum) {
  const at::NoGradGuard no_grad;
  for (std::string_view row : {"post_ln", "dlcl_pre", "dlcl_post", "residual_dual"}) {
    const Wired w(row);
    const at::Tensor parts = at::stack({random(4, 1), random(4, 2)});
    const auto whole = w.wiring->start(parts.sum(0)), lists = w.wiring->start(parts, components_algebra());
    for (int layer = 0; layer < 5; ++layer) {
      const at::Tensor x = whole->enter(layer), components = lists->enter(layer);
      EXPECT_EQ(components.size(0), 2 + layer) << row;
      EXPECT_LE(difference(components.sum(0), rows_of(x)), 1e-12) << row << ' ' << layer;
      const at::Tensor branch = random(4, 10 + static_cast<uint64_t>(layer));
      whole->leave(layer, x + branch);
      lists->leave(layer, at::cat({components, branch.unsqueeze(0)}));
    }
  }
}

TEST(Wirings, KnowWhetherTheyLeadPastTheNormsOfTheLayers) {
  for (std::string_view row : {"dlcl_pre", "dlcl_post", "residual_dual"})
    EXPECT_TRUE(Wired(row).wiring->passes_norms());
  EXPECT_FALSE(Wired("post_ln").wiring->passes_norms());
}

}  // namespace
}  // namespace plumb::test
