// mathematics.md 3.4: w = 1; omega_i = w; w = sqrt(Var(omega_i x) + Var(a)), one chain per stack, over all elements.

#include "plumb/residual/admin_profile.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/residual/residual.h"

#include "residual/support/plans.h"

namespace plumb::test {
namespace {

const ops::Packed kRows({3, 1});

/// The population variance of all numbers.
double variance(const at::Tensor& x) {
  double n = 0, mean = 0, sum = 0;
  for (const Row& row : rows_of(x)) {
    for (double v : row) mean += v, ++n;
  }
  mean /= n;
  for (const Row& row : rows_of(x)) {
    for (double v : row) sum += (v - mean) * (v - mean);
  }
  return sum / n;
}

/// Parameters "0", "1", ... to be profiled.
struct Omegas {
  ParameterStore store;
  std::vector<Parameter> all;

  explicit Omegas(int count) {
    for (int i = 0; i < count; ++i) all.push_back(store.declare({std::to_string(i), {kWidth}, {.value = 9}}));
    store.allocate(at::kDouble);
    store.draw(1);
  }
};

void expect_filled(const ParameterStore& store, const std::string& name, double value) {
  for (double each : vector_of(store, name)) EXPECT_NEAR(each, value, 1e-12) << name;
}

TEST(AdminProfile, FollowsTheRecursionOfTheAuthorsCode) {
  Omegas omegas(5);
  AdminProfile profile;
  double w = 1;
  for (uint64_t i = 0; i < 5; ++i) {
    const at::Tensor x = random(4, 10 + i), a = random(4, 20 + i);
    profile.measure(Stack::Encoder, omegas.all[i], x, a);
    expect_filled(omegas.store, std::to_string(i), w);
    w = std::sqrt(w * w * variance(x) + variance(a));
  }
}

// By hand: Var(x) = 4, Var(a) = 5 in the population (-1, 5 | 1, 3 has mean 2): 1, sqrt(4 + 5) = 3, sqrt(9 * 4 + 5).
TEST(AdminProfile, CountsThePopulationsVarianceAndNotTheSamples) {
  Omegas omegas(3);
  const at::Tensor x = at::tensor(std::vector<double>{0, 4, 0, 4}, at::kDouble).view({2, 2});
  const at::Tensor a = at::tensor(std::vector<double>{-1, 5, 1, 3}, at::kDouble).view({2, 2});
  AdminProfile profile;
  for (const Parameter& omega : omegas.all) profile.measure(Stack::Decoder, omega, x, a);
  expect_filled(omegas.store, "0", 1);
  expect_filled(omegas.store, "1", 3);
  expect_filled(omegas.store, "2", std::sqrt(41.0));
}

TEST(AdminProfile, KeepsOneChainForEachStack) {
  Omegas omegas(4);
  AdminProfile profile;
  const at::Tensor x = random(4, 1), a = random(4, 2);
  profile.measure(Stack::Encoder, omegas.all[0], x, a);
  profile.measure(Stack::Encoder, omegas.all[1], x, a);
  profile.measure(Stack::Decoder, omegas.all[2], x, a);
  profile.measure(Stack::Decoder, omegas.all[3], x, a);
  expect_filled(omegas.store, "0", 1);
  expect_filled(omegas.store, "2", 1);
  expect_filled(omegas.store, "1", std::sqrt(variance(x) + variance(a)));
  expect_filled(omegas.store, "3", std::sqrt(variance(x) + variance(a)));
}

at::Tensor profiled_sublayer(const at::Tensor& u) {
  return (0.7 * u).sin() + 0.2 * u.flip(1);
}

/// A chain of the sub-layers of two encoder layers of the named row.
struct Chain {
  ParameterStore store;
  std::vector<Residual> residuals;

  explicit Chain(std::string_view row) {
    const StackPlan plan = plan_of(*find_variant(row));
    for (int layer : {0, 1}) {
      for (Sublayer kind : {Sublayer::SelfAttention, Sublayer::FeedForward}) {
        residuals.emplace_back(store, plan, kind, layer, /*dropout=*/0, Parameter());
      }
    }
    store.allocate(at::kDouble);
    store.draw(1);
  }

  std::vector<std::string> omegas() const {
    return {"encoder.layers.0.self_attn_skip_scale", "encoder.layers.0.ffn_skip_scale",
            "encoder.layers.1.self_attn_skip_scale", "encoder.layers.1.ffn_skip_scale"};
  }

  at::Tensor run(const at::Tensor& x0, AdminProfile* profile) const {
    RememberedFlow flow;
    at::Tensor x = x0;
    for (const Residual& residual : residuals) x = residual(x, x, kRows, profiled_sublayer, flow, {.profile = profile});
    return x;
  }
};

// omega_i is set before it is used in the same pass, so from the second sub-layer on (Var(x) = 1 behind LayerNorm)
// omega_{i+1}^2 - omega_i^2 = Var(a_i), and the profiled pass already gives what the finished model gives.
TEST(AdminProfile, SetsOmegaInTheResidualBeforeItIsUsed) {
  const Chain chain("admin");
  const at::Tensor x0 = random(4, 1);
  AdminProfile profile;
  const at::Tensor during = chain.run(x0, &profile);
  at::Tensor x = x0;
  double w = 1;
  for (size_t i = 0; i < 4; ++i) {
    expect_filled(chain.store, chain.omegas()[i], w);
    const at::Tensor a = profiled_sublayer(x);
    const double next = std::sqrt(w * w * variance(x) + variance(a));
    EXPECT_NEAR(next * next - w * w * (i == 0 ? variance(x0) : 1), variance(a), 1e-4 * w * w);
    EXPECT_GT(next, w);
    x = at::layer_norm(w * x + a, {kWidth}, {}, {}, 1e-5);
    w = next;
  }
  EXPECT_LE(largest_gap(during, rows_of(x)), 1e-12);
  EXPECT_TRUE(at::equal(during, chain.run(x0, nullptr)));
}

TEST(AdminProfile, LeavesRowsAloneThatAreNotProfiled) {
  const Chain chain("admin_closed");
  const at::Tensor before = chain.store.values().clone();
  AdminProfile profile;
  chain.run(random(4, 1), &profile);
  EXPECT_TRUE(at::equal(chain.store.values(), before));
}

TEST(AdminProfile, LeavesOmegaLearnable) {
  const Chain chain("admin");
  AdminProfile profile;
  chain.run(random(4, 1), &profile);
  (chain.run(random(4, 1), nullptr) * random(4, 5)).sum().backward();
  for (const at::Tensor& leaf : chain.store.leaves()) EXPECT_TRUE(leaf.requires_grad() && leaf.is_leaf());
  EXPECT_GT(chain.store.gradient(chain.omegas()[0]).abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace plumb::test
