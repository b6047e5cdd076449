#include "plumb/optim/adam.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "optim/support/sample.h"

namespace plumb {
namespace {

using namespace test;

// One update in plain doubles, from the formulas of fairseq's and torch's Adam.
struct PlainAdam {
  OptimConfig config;
  std::vector<double> p, m, v;

  void step(double lr, const std::vector<double>& gradients, int t) {
    const double b1 = config.betas[0], b2 = config.betas[1], wd = config.weight_decay;
    const double c1 = 1 - std::pow(b1, t), c2 = 1 - std::pow(b2, t);
    for (size_t i = 0; i < p.size(); ++i) {
      const double g = gradients[i] + (config.decay == Decay::L2 ? wd * p[i] : 0);
      m[i] = b1 * m[i] + (1 - b1) * g;
      v[i] = b2 * v[i] + (1 - b2) * g * g;
      if (config.decay == Decay::Decoupled) p[i] -= lr * wd * p[i];
      if (config.eps_convention == EpsConvention::Fairseq) {
        p[i] -= lr * std::sqrt(c2) / c1 * m[i] / (std::sqrt(v[i]) + config.eps);
      } else {
        p[i] -= lr * (m[i] / c1) / (std::sqrt(v[i] / c2) + config.eps);
      }
    }
  }
};

class AdamIn : public testing::TestWithParam<at::ScalarType> {};

INSTANTIATE_TEST_SUITE_P(Precision, AdamIn, testing::Values(at::kFloat, at::kDouble),
                         [](const auto& info) { return info.param == at::kFloat ? "float32" : "float64"; });

void compare_adam(const OptimConfig& config, at::ScalarType dtype) {
  SCOPED_TRACE(testing::Message() << config.name << " " << word(config.decay) << " " << word(config.eps_convention)
                                  << " wd " << config.weight_decay << " b1 " << config.betas[0]);
  Sample s(dtype);
  const auto adam = make_optimiser(config, s.store);
  PlainAdam plain{config, s.values(), std::vector<double>(39), std::vector<double>(39)};
  for (int t = 1; t <= 8; ++t) {
    s.set_gradients(t);
    plain.step(0.05 / t, s.gradients(), t);
    adam->step(0.05 / t);
    expect_near(s.values(), plain.p, tolerance_of(dtype));
  }
}

TEST_P(AdamIn, FollowsItsFormulasForSeveralSteps) {
  for (const EpsConvention convention : {EpsConvention::Fairseq, EpsConvention::Torch}) {
    for (const std::array<double, 2> betas : {std::array{0.9, 0.98}, {0.8, 0.999}, {0.0, 0.5}}) {
      OptimConfig config{.betas = betas, .eps = 1e-4, .eps_convention = convention};
      compare_adam(config, GetParam());
      config.weight_decay = 0.2;
      compare_adam(config, GetParam());
      config.name = "adamw";
      compare_adam(config, GetParam());
      config.name = "adam";
      config.decay = Decay::L2;
      compare_adam(config, GetParam());
    }
  }
}

TEST(Adam, TakesAFirstStepOfTheLearningRateAgainstTheSignOfTheGradient) {
  for (const EpsConvention convention : {EpsConvention::Fairseq, EpsConvention::Torch}) {
    Sample s;
    s.set_gradients(1);
    const std::vector<double> p = s.values(), g = s.gradients();
    make_optimiser({.eps = 1e-20, .eps_convention = convention}, s.store)->step(0.01);
    const std::vector<double> moved = s.values();
    for (size_t i = 0; i < p.size(); ++i) {
      const double sign = g[i] > 0 ? 1 : g[i] < 0 ? -1 : 0;
      EXPECT_NEAR(moved[i], p[i] - 0.01 * sign, 1e-13) << g[i];
    }
  }
}

// g = 1e-8 = eps and b2 = 0.99. fairseq: sqrt(v) = 0.1 g, so the first step is lr * 0.1 * g / (0.1 g + eps) = lr / 11.
// torch: sqrt(v / (1 - b2)) = g, so it is lr * g / (g + eps) = lr / 2.
TEST(Adam, HasTwoEpsilonsThatDifferForTinyGradients) {
  const auto first_step = [](EpsConvention convention) {
    Sample s;
    s.store.values().zero_();
    s.store.gradient("after").fill_(1e-8);
    make_optimiser({.betas = {0.9, 0.99}, .eps = 1e-8, .eps_convention = convention}, s.store)->step(1);
    return s.store.value("after").item<double>();
  };
  EXPECT_NEAR(first_step(EpsConvention::Fairseq), -1.0 / 11, 1e-12);
  EXPECT_NEAR(first_step(EpsConvention::Torch), -1.0 / 2, 1e-12);
}

TEST(Adam, DecaysWithoutAGradientByTheSameShareEachTime) {
  for (const char* name : {"adam", "adamw"}) {
    Sample s;
    const auto adam = make_optimiser({.name = name, .weight_decay = 0.5}, s.store);
    std::vector<double> p = s.values();
    for (int t = 0; t < 3; ++t) adam->step(0.1);
    for (double& value : p) value *= 0.95 * 0.95 * 0.95;
    expect_near(s.values(), p, 1e-14);
  }
}

TEST(Adam, NamesItsMomentsAsCheckpointsDo) {
  Sample s;
  const auto adam = make_optimiser({.betas = {0.75, 0.5}}, s.store);
  s.store.gradient("after").fill_(4);
  adam->step(0.1);
  ASSERT_EQ(adam->state().size(), 2U);
  EXPECT_EQ(adam->state()[0].name, "exp_avg");
  EXPECT_EQ(adam->state()[1].name, "exp_avg_sq");
  const int64_t at = s.store.entry("after").offset;
  EXPECT_EQ(adam->state()[0].values[at].item<double>(), 1);
  EXPECT_EQ(adam->state()[1].values[at].item<double>(), 8);
}

TEST(Adam, RefusesAnEpsilonOfZero) {
  Sample s;
  EXPECT_THROW(make_optimiser({.eps = 0}, s.store), c10::Error);
}

}  // namespace
}  // namespace plumb
