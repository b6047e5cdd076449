#include "plumb/optim/sgd.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "optim/support/sample.h"

namespace plumb {
namespace {

using namespace test;

class SgdIn : public testing::TestWithParam<at::ScalarType> {};

INSTANTIATE_TEST_SUITE_P(Precision, SgdIn, testing::Values(at::kFloat, at::kDouble),
                         [](const auto& info) { return info.param == at::kFloat ? "float32" : "float64"; });

TEST_P(SgdIn, FollowsItsFormulasForSeveralSteps) {
  for (const double momentum : {0.0, 0.9}) {
    for (const Decay decay : {Decay::Decoupled, Decay::L2}) {
      for (const double wd : {0.0, 0.3}) {
        Sample s(GetParam());
        const auto sgd =
            make_optimiser({.name = "sgd", .momentum = momentum, .weight_decay = wd, .decay = decay}, s.store);
        std::vector<double> p = s.values(), b(p.size());
        for (int t = 1; t <= 5; ++t) {
          const double lr = 0.1 / t;
          s.set_gradients(t);
          const std::vector<double> g = s.gradients();
          for (size_t i = 0; i < p.size(); ++i) {
            const double shrunk = decay == Decay::Decoupled ? p[i] - lr * wd * p[i] : p[i];
            b[i] = momentum * b[i] + g[i] + (decay == Decay::L2 ? wd * p[i] : 0);
            p[i] = shrunk - lr * b[i];
          }
          sgd->step(lr);
        }
        SCOPED_TRACE(testing::Message() << momentum << " " << word(decay) << " " << wd);
        expect_near(s.values(), p, tolerance_of(GetParam()));
      }
    }
  }
}

TEST(Sgd, ByHand) {
  Sample s;
  s.store.values().fill_(0);
  s.store.gradient("after").fill_(2);
  const auto sgd = make_optimiser({.name = "sgd", .momentum = 0.5}, s.store);
  sgd->step(0.1);  // b = 2
  EXPECT_DOUBLE_EQ(s.store.value("after").item<double>(), -0.2);
  sgd->step(0.1);  // b = 3
  EXPECT_DOUBLE_EQ(s.store.value("after").item<double>(), -0.5);
  sgd->step(0.1);  // b = 3.5
  EXPECT_DOUBLE_EQ(s.store.value("after").item<double>(), -0.85);
}

TEST(Sgd, KeepsABufferOnlyForMomentum) {
  Sample s;
  EXPECT_TRUE(make_optimiser({.name = "sgd"}, s.store)->state().empty());
  const auto with_momentum = make_optimiser({.name = "sgd", .momentum = 0.9}, s.store);
  ASSERT_EQ(with_momentum->state().size(), 1U);
  EXPECT_EQ(with_momentum->state()[0].name, "momentum_buffer");
}

}  // namespace
}  // namespace plumb
