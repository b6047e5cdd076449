#include "plumb/optim/radam.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "optim/support/sample.h"

namespace plumb {
namespace {

using namespace test;

// What the paper means by rho_t: the length of the plain average whose gradients are as old, on average, as those in v.
// A gradient of age a has the weight b2^a there; a plain average of length n has the mean age (n - 1) / 2.
double rho_by_centre_of_mass(double b2, int t) {
  double weights = 0, ages = 0;
  for (int age = 0; age < t; ++age) {
    weights += std::pow(b2, age);
    ages += age * std::pow(b2, age);
  }
  return 2 * ages / weights + 1;
}

TEST(Radam, CountsTheGradientsThatTheSecondMomentAverages) {
  for (const double b2 : {0.5, 0.98, 0.99, 0.995, 0.999}) {
    for (const int t : {1, 2, 5, 6, 7, 50, 1000}) {
      EXPECT_NEAR(radam_rho(b2, t), rho_by_centre_of_mass(b2, t), 1e-8 * t) << b2 << " " << t;
    }
  }
  EXPECT_NEAR(radam_rho(0.98, 1), 1, 1e-10);
  EXPECT_NEAR(radam_rho(0.98, 5), 4.9192, 5e-6);
  EXPECT_NEAR(radam_rho(0.98, 6), 5.88218, 5e-6);
  EXPECT_NEAR(radam_rho(0.999, 5), 4.996, 5e-6);
  EXPECT_NEAR(radam_rho(0.999, 1'000'000), 1999, 1e-8);
}

TEST(Radam, RectifiesLessAndLess) {
  // rho = 99, rho_6 = 5.88218: sqrt(1.88218 * 3.88218 * 99 / (95 * 97 * 5.88218)) = 0.11552.
  EXPECT_NEAR(radam_rectification(0.98, 6), 0.11552, 5e-6);
  double last = 0;
  for (int t = 6; t < 2000; t += 7) {
    EXPECT_GE(radam_rectification(0.98, t), last - 1e-12) << t;
    last = radam_rectification(0.98, t);
  }
  EXPECT_NEAR(last, 1, 1e-6);
}

int first_update(double b2, RadamForm form) {
  Sample s;
  const auto radam = make_optimiser({.name = "radam", .betas = {0.9, b2}, .radam_form = form}, s.store);
  const at::Tensor before = s.store.values().clone();
  s.set_gradients(1);
  while (at::equal(s.store.values(), before) && radam->steps() < 100) radam->step(0.1);
  return static_cast<int>(radam->steps());
}

TEST(Radam, OfTheClinicMakesItsFirstUpdateAtTheSixthStep) {
  for (const double b2 : {0.98, 0.99, 0.995, 0.999}) EXPECT_EQ(first_update(b2, RadamForm::Clinic), 6) << b2;
}

TEST(Radam, OfThePaperMovesFromTheFirstStep) {
  for (const double b2 : {0.6, 0.98, 0.999}) EXPECT_EQ(first_update(b2, RadamForm::Paper), 1) << b2;
}

class RadamIn : public testing::TestWithParam<at::ScalarType> {};

INSTANTIATE_TEST_SUITE_P(Precision, RadamIn, testing::Values(at::kFloat, at::kDouble),
                         [](const auto& info) { return info.param == at::kFloat ? "float32" : "float64"; });

void compare_radam(const OptimConfig& config, at::ScalarType dtype) {
  SCOPED_TRACE(testing::Message() << word(config.radam_form) << " " << word(config.eps_convention) << " "
                                  << word(config.decay));
  Sample s(dtype);
  const auto radam = make_optimiser(config, s.store);
  std::vector<double> p = s.values(), m(p.size()), v(p.size());
  const double b1 = config.betas[0], b2 = config.betas[1], wd = config.weight_decay, lr = 0.05;
  const double rho = 2 / (1 - b2) - 1;
  for (int t = 1; t <= 12; ++t) {
    s.set_gradients(t);
    const std::vector<double> gradients = s.gradients();
    const double c1 = 1 - std::pow(b1, t), c2 = 1 - std::pow(b2, t);
    const double n = rho - 2 * t * std::pow(b2, t) / c2;
    const double r = std::sqrt((n - 4) / (rho - 4) * (n - 2) / (rho - 2) * rho / n);  // NaN while it is not used
    const bool clinic = config.radam_form == RadamForm::Clinic, adaptive = clinic ? n >= 5 : n > 4;
    for (size_t i = 0; i < p.size(); ++i) {
      const double g = gradients[i] + (config.decay == Decay::L2 ? wd * p[i] : 0);
      m[i] = b1 * m[i] + (1 - b1) * g;
      v[i] = b2 * v[i] + (1 - b2) * g * g;
      if (config.decay == Decay::Decoupled) p[i] -= lr * wd * p[i];
      if (adaptive && config.eps_convention == EpsConvention::Fairseq) {
        p[i] -= lr * r * std::sqrt(c2) / c1 * m[i] / (std::sqrt(v[i]) + config.eps);
      } else if (adaptive) {
        p[i] -= lr * r * m[i] / c1 / (std::sqrt(v[i] / c2) + config.eps);
      } else if (!clinic) {
        p[i] -= lr * m[i] / c1;
      }
    }
    radam->step(lr);
    expect_near(s.values(), p, tolerance_of(dtype));
  }
}

TEST_P(RadamIn, FollowsItsFormulasForSeveralSteps) {
  for (const RadamForm form : {RadamForm::Clinic, RadamForm::Paper}) {
    for (const EpsConvention convention : {EpsConvention::Fairseq, EpsConvention::Torch}) {
      for (const Decay decay : {Decay::Decoupled, Decay::L2}) {
        compare_radam({.name = "radam",
                       .betas = {0.9, 0.98},
                       .eps = 1e-4,
                       .eps_convention = convention,
                       .radam_form = form,
                       .weight_decay = 0.2,
                       .decay = decay},
                      GetParam());
      }
    }
  }
}

}  // namespace
}  // namespace plumb
