#include "plumb/optim/optimiser.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/optimisers.h"

#include "optim/support/sample.h"

namespace plumb {
namespace {

using namespace test;
using ::testing::HasSubstr;

/// One configuration per row that uses everything the row has.
OptimConfig full_config(const OptimiserRow& row) {
  return {.name = std::string(row.name), .momentum = 0.9, .weight_decay = 0.01, .decay = Decay::Decoupled};
}

void train(Optimiser& optimiser, Sample& s, int64_t from, int64_t to) {
  for (int64_t t = from; t <= to; ++t) {
    s.set_gradients(t);
    optimiser.step(0.01);
  }
}

class EveryOptimiser : public testing::TestWithParam<OptimiserRow> {};

INSTANTIATE_TEST_SUITE_P(Table, EveryOptimiser, testing::ValuesIn(optimisers().begin(), optimisers().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EveryOptimiser, KeepsTheStateThatItsRowNames) {
  Sample s;
  const auto optimiser = make_optimiser(full_config(GetParam()), s.store);
  ASSERT_EQ(optimiser->state().size(), GetParam().state.size());
  for (size_t i = 0; i < GetParam().state.size(); ++i) {
    EXPECT_EQ(optimiser->state()[i].name, GetParam().state[i]);
    EXPECT_EQ(optimiser->state()[i].values.sizes(), s.store.values().sizes());
    EXPECT_EQ(optimiser->state()[i].values.scalar_type(), s.store.values().scalar_type());
  }
}

TEST_P(EveryOptimiser, LeavesTheGapsAtZeroAndTheGradientsAsTheyAre) {
  for (const Decay decay : {Decay::Decoupled, Decay::L2}) {
    Sample s(at::kFloat, 5000);
    OptimConfig config = full_config(GetParam());
    config.decay = decay;
    const auto optimiser = make_optimiser(config, s.store);
    train(*optimiser, s, 1, 8);
    const at::Tensor gradients = s.store.gradients().clone();
    optimiser->step(0.01);
    EXPECT_EQ(s.in_gaps(s.store.values()), 0);
    for (const auto& state : optimiser->state()) EXPECT_EQ(s.in_gaps(state.values), 0) << state.name;
    EXPECT_TRUE(at::equal(s.store.gradients(), gradients));
    EXPECT_TRUE(s.store.values().isfinite().all().item<bool>());
  }
}

TEST_P(EveryOptimiser, ContinuesBitForBitFromItsState) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    Sample whole(dtype), resumed(dtype);
    const auto first = make_optimiser(full_config(GetParam()), whole.store);
    train(*first, whole, 1, 7);
    // What a checkpoint keeps: parameters, state and count.
    resumed.store.values().copy_(whole.store.values());
    std::vector<Optimiser::State> kept;
    for (const auto& state : first->state()) kept.push_back({state.name, state.values.clone()});
    const int64_t steps = first->steps();
    train(*first, whole, 8, 15);

    const auto second = make_optimiser(full_config(GetParam()), resumed.store);
    second->load_state(steps, kept);
    EXPECT_EQ(second->steps(), 7);
    train(*second, resumed, 8, 15);
    EXPECT_TRUE(at::equal(resumed.store.values(), whole.store.values()));
    for (size_t i = 0; i < kept.size(); ++i) {
      EXPECT_TRUE(at::equal(second->state()[i].values, first->state()[i].values));
      EXPECT_FALSE(kept[i].values.is_alias_of(second->state()[i].values));
    }
  }
}

TEST_P(EveryOptimiser, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    std::vector<at::Tensor> results;
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      Sample s(dtype, 20'000);  // 100 000 elements: seven stretches, the last one short
      const auto optimiser = make_optimiser(full_config(GetParam()), s.store);
      train(*optimiser, s, 1, 7);
      results.push_back(s.store.values().clone());
    }
    at::set_num_threads(1);
    EXPECT_TRUE(at::equal(results[0], results[1]));
    EXPECT_TRUE(at::equal(results[0], results[2]));
  }
}

TEST_P(EveryOptimiser, TreatsElementsAlikeWhereverTheyStandInALongBuffer) {
  Sample s(at::kDouble, 20'000);
  s.store.values().fill_(0.5);
  s.store.gradients().fill_(-0.25);
  const auto optimiser = make_optimiser(full_config(GetParam()), s.store);
  for (int t = 0; t < 7; ++t) optimiser->step(0.01);
  const double first = s.store.values()[0].item<double>();
  EXPECT_NE(first, 0.5);
  EXPECT_TRUE(s.store.values().eq(first).all().item<bool>());
}

TEST_P(EveryOptimiser, MovesTheLeavesThatTheModelReads) {
  Sample s;
  const at::Tensor leaf = s.store.leaves()[0];
  const at::Tensor before = leaf.detach().clone();
  const auto optimiser = make_optimiser(full_config(GetParam()), s.store);
  // The gradients come from autograd, and the next backward pass is not disturbed by the update in place.
  for (int t = 0; t < 8; ++t) {
    s.store.zero_gradients();
    leaf.square().sum().backward();
    optimiser->step(0.01);
  }
  EXPECT_FALSE(at::equal(leaf.detach(), before));
  EXPECT_LT(leaf.square().sum().item<double>(), before.square().sum().item<double>());
  EXPECT_TRUE(leaf.requires_grad() && leaf.is_leaf());
}

TEST(Optimiser, RefusesAStateThatIsNotItsOwn) {
  Sample s;
  const auto adam = make_optimiser({}, s.store);
  const at::Tensor fits = at::ones_like(s.store.values());
  const auto error = [&](int64_t steps, const std::vector<Optimiser::State>& state) -> std::string {
    try {
      adam->load_state(steps, state);
    } catch (const UserError& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_THAT(error(3, {{"momentum_buffer", fits}}), HasSubstr("exp_avg is missing, which adam needs"));
  EXPECT_THAT(error(3, {{"exp_avg", fits}}), HasSubstr("exp_avg_sq is missing"));
  EXPECT_THAT(error(3, {{"exp_avg", fits}, {"exp_avg_sq", fits.to(at::kFloat)}}), HasSubstr("another size or type"));
  EXPECT_THAT(error(3, {{"exp_avg", fits}, {"exp_avg_sq", at::ones({3}, at::kDouble)}}), HasSubstr("another size"));
  EXPECT_THAT(error(3, {{"exp_avg", fits}, {"exp_avg_sq", at::Tensor()}}), HasSubstr("another size"));
  EXPECT_THAT(error(3, {{"exp_avg", fits}, {"exp_avg_sq", fits}, {"x", fits}}), HasSubstr("does not know"));
  EXPECT_THAT(error(-1, {{"exp_avg", fits}, {"exp_avg_sq", fits}}), HasSubstr("-1 updates"));
  // Nothing was taken over on the way.
  EXPECT_EQ(adam->steps(), 0);
  for (const auto& state : adam->state()) EXPECT_EQ(state.values.abs().max().item<double>(), 0);
  EXPECT_EQ(error(3, {{"exp_avg_sq", fits}, {"exp_avg", fits}}), "");
  EXPECT_EQ(adam->steps(), 3);
}

TEST(Optimiser, RefusesUnknownNamesAndStoresWithoutMemory) {
  Sample s;
  EXPECT_THROW(make_optimiser({.name = "nobody"}, s.store), c10::Error);
  ParameterStore empty;
  EXPECT_THROW(make_optimiser({}, empty), c10::Error);
}

}  // namespace
}  // namespace plumb
