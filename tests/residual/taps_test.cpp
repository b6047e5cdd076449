#include "plumb/residual/taps.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/residual/residual.h"

#include "residual/support/plans.h"

namespace plumb::test {
namespace {

using Point = Tap::Point;

const ops::Packed kTapRows({3, 1});

at::Tensor tapped_sublayer(const at::Tensor& u) {
  return (0.7 * u).sin();
}

TEST(TapNames, SayStackLayerSublayerAndPoint) {
  EXPECT_EQ((Tap{Stack::Encoder, Point::Sum, 3, Sublayer::FeedForward}.name()), "encoder.3.ffn.sum");
  EXPECT_EQ((Tap{Stack::Decoder, Point::In, 0, Sublayer::SelfAttention}.name()), "decoder.0.self_attn.in");
  EXPECT_EQ((Tap{Stack::Decoder, Point::Branch, 11, Sublayer::CrossAttention}.name()),
            "decoder.11.encoder_attn.branch");
  EXPECT_EQ((Tap{Stack::Decoder, Point::Out, 11, Sublayer::CrossAttention}.name()), "decoder.11.encoder_attn.out");
  EXPECT_EQ((Tap{.stack = Stack::Encoder, .point = Point::Embed}.name()), "encoder.embed");
  EXPECT_EQ((Tap{.stack = Stack::Decoder, .point = Point::Out}.name()), "decoder.out");
}

/// Two sub-layers of encoder layer 1 of a row in which no two taps are the same tensor.
struct Watched {
  ParameterStore store;
  std::vector<Residual> residuals;
  at::Tensor x = random(4, 1).requires_grad_();

  explicit Watched(const Rule& rule = {.norm_in = true, .norm_out = true, .r = {Factor::Kind::Constant, 2}}) {
    const Variant row = row_with(rule);
    const StackPlan plan = plan_of(row);
    residuals.emplace_back(store, plan, Sublayer::SelfAttention, 1, 0, Parameter());
    residuals.emplace_back(store, plan, Sublayer::FeedForward, 1, 0, Parameter());
    allocate_random(store, 2);
  }

  at::Tensor loss(Observer* observer, const Residual::Branch& branch = tapped_sublayer) const {
    RememberedFlow flow;
    at::Tensor y = x;
    for (const Residual& residual : residuals) y = residual(y, x, kTapRows, branch, flow, {.observer = observer});
    return (y * random(4, 7)).sum();
  }
};

TEST(Taps, ComeInTheOrderOfComputation) {
  const Watched model;
  TapRecorder taps;
  model.loss(&taps);
  std::vector<std::string> names;
  for (const auto& record : taps.records()) names.push_back(record.tap.name());
  EXPECT_EQ(names, (std::vector<std::string>{"encoder.1.self_attn.in", "encoder.1.self_attn.branch",
                                             "encoder.1.self_attn.sum", "encoder.1.self_attn.out", "encoder.1.ffn.in",
                                             "encoder.1.ffn.branch", "encoder.1.ffn.sum", "encoder.1.ffn.out"}));
}

TEST(Taps, HoldWhatTheEquationCallsThem) {
  const Watched model;
  TapRecorder taps;
  model.loss(&taps);
  const Rows x = rows_of(model.x);
  const std::string layer = "encoder.layers.1.";
  const Rows u = plain_layer_norm(x, model.store, layer + "self_attn_layer_norm");
  const Rows a = plain_layer_norm(rows_of(tapped_sublayer(taps.value("encoder.1.self_attn.in"))), model.store,
                                  layer + "self_attn_output_layer_norm");
  EXPECT_LE(largest_gap(taps.value("encoder.1.self_attn.in"), u), 1e-12);
  EXPECT_LE(largest_gap(taps.value("encoder.1.self_attn.branch"), a), 1e-12);
  EXPECT_LE(largest_gap(taps.value("encoder.1.self_attn.sum") - 2 * model.x, a), 1e-12);
  EXPECT_TRUE(at::equal(taps.value("encoder.1.self_attn.out"), taps.value("encoder.1.self_attn.sum")));
}

TEST(Taps, StandBeforeAndAfterTheLastNorm) {
  const Watched model({.norm_post = true});
  TapRecorder taps;
  model.loss(&taps);
  const Rows sum = rows_of(taps.value("encoder.1.ffn.sum"));
  const Rows out = plain_layer_norm(sum, model.store, "encoder.layers.1.final_layer_norm");
  EXPECT_LE(largest_gap(taps.value("encoder.1.ffn.out"), out), 1e-12);
}

/// Keeps the tensors and asks nothing of them.
struct Keeper : Observer {
  std::vector<at::Tensor> values;
  void see(const Tap&, const at::Tensor& value) override { values.push_back(value); }
};

TEST(Taps, RecordTheGradientThatAutogradFinds) {
  for (const Rule& rule : {Rule{.norm_in = true, .norm_out = true}, Rule{.norm_post = true}, Rule{}}) {
    const Watched model(rule);
    Keeper keeper;
    const at::Tensor loss = model.loss(&keeper);
    TapRecorder taps;
    model.loss(&taps).backward();
    ASSERT_EQ(taps.records().size(), keeper.values.size());
    for (size_t i = 0; i < keeper.values.size(); ++i) {
      EXPECT_TRUE(keeper.values[i].is_leaf() || !keeper.values[i].retains_grad());
      const at::Tensor expected = torch::autograd::grad({loss}, {keeper.values[i]}, {}, /*retain_graph=*/true)[0];
      const std::string name = taps.records()[i].tap.name();
      ASSERT_TRUE(taps.gradient(name).defined()) << name;
      EXPECT_LE((taps.gradient(name) - expected).abs().max().item<double>(), 1e-13) << name;
    }
  }
}

// By hand for a single linear step: z = 2 x + a, loss = sum(w z), so dL/dsum = dL/dbranch = w.
TEST(Taps, RecordTheGradientOfTheClosedForm) {
  const Variant row = row_with({.norm_in = true, .r = {Factor::Kind::Constant, 2}});
  ParameterStore store;
  const Residual residual(store, plan_of(row), Sublayer::FeedForward, 0, 0, {});
  allocate_random(store, 2);
  TapRecorder taps;
  RememberedFlow flow;
  const at::Tensor w = random(4, 7), x = random(4, 1).requires_grad_();
  const auto three_times = [](const at::Tensor& u) { return 3 * u; };
  (residual(x, x, kTapRows, three_times, flow, {.observer = &taps}) * w).sum().backward();
  EXPECT_LE(largest_gap(taps.gradient("encoder.0.ffn.sum"), rows_of(w)), 1e-13);
  EXPECT_LE(largest_gap(taps.gradient("encoder.0.ffn.branch"), rows_of(w)), 1e-13);
  EXPECT_LE(largest_gap(taps.gradient("encoder.0.ffn.in"), rows_of(3 * w)), 1e-13);
}

TEST(Taps, RetainNothingWithoutAnObserver) {
  const Watched model;
  std::vector<at::Tensor> seen;
  model
      .loss(nullptr,
            [&](const at::Tensor& u) {
              seen.push_back(u);
              seen.push_back(tapped_sublayer(u));
              return seen.back();
            })
      .backward();
  ASSERT_EQ(seen.size(), 4U);
  for (const at::Tensor& each : seen) EXPECT_FALSE(each.retains_grad());
}

TEST(Taps, DoNotChangeTheResult) {
  const Watched model;
  TapRecorder taps;
  EXPECT_TRUE(at::equal(model.loss(&taps), model.loss(nullptr)));
}

TEST(Taps, CanBeRecordedWithoutAGraph) {
  at::NoGradGuard no_grad;
  const Watched model;
  TapRecorder taps;
  model.loss(&taps);
  EXPECT_EQ(taps.records().size(), 8U);
  EXPECT_FALSE(taps.gradient("encoder.1.ffn.sum").defined());
}

TEST(Taps, OfUnknownNamesAreRefused) {
  const TapRecorder taps;
  EXPECT_THROW(taps.value("encoder.9.ffn.sum"), c10::Error);
  EXPECT_THROW(taps.gradient("encoder.9.ffn.sum"), c10::Error);
}

}  // namespace
}  // namespace plumb::test
