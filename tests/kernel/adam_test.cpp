#include "plumb/kernel/adam.h"

#include <limits>

#include <gtest/gtest.h>

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

using Kind = AdamStep::Kind;

/// What optim/optimiser.cpp and optim/adam.cpp do to the elements, in double precision.
struct Oracle {
  double lr = 1e-3, b1 = 0.9, b2 = 0.98, eps = 1e-8, decay = 0, factor = 1, gradient_scale = 1;
  bool decoupled = true, torch_eps = false;
  Kind kind = Kind::Adaptive;

  double correction1(int t) const { return 1 - std::pow(b1, t); }
  double correction2(int t) const { return std::sqrt(1 - std::pow(b2, t)); }

  void step(int t, std::vector<double>& p, std::vector<double> g, std::vector<double>& m,
            std::vector<double>& v) const {
    for (size_t i = 0; i < p.size(); ++i) {
      g[i] *= gradient_scale;
      if (!decoupled) g[i] += decay * p[i];
      if (decoupled) p[i] -= lr * decay * p[i];
      m[i] = b1 * m[i] + (1 - b1) * g[i];
      v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
      const double plain = lr * factor / correction1(t), c2 = correction2(t);
      if (kind == Kind::Momentum) p[i] -= plain * m[i];
      if (kind == Kind::Adaptive && torch_eps) p[i] -= plain * m[i] / (std::sqrt(v[i]) / c2 + eps);
      if (kind == Kind::Adaptive && !torch_eps) p[i] -= plain * c2 * m[i] / (std::sqrt(v[i]) + eps);
    }
  }

  AdamStep kernel(int t) const {
    const bool corrects = torch_eps || kind == Kind::Momentum;
    AdamStep s;
    s.kind = kind;
    s.gradient_scale = static_cast<float>(gradient_scale);
    s.l2 = static_cast<float>(decoupled ? 0 : decay);
    s.shrink = static_cast<float>(decoupled ? lr * decay : 0);
    s.keep1 = static_cast<float>(b1);
    s.take1 = static_cast<float>(1 - b1);
    s.keep2 = static_cast<float>(b2);
    s.take2 = static_cast<float>(1 - b2);
    s.size = static_cast<float>(lr * factor / correction1(t) * (corrects ? 1 : correction2(t)));
    s.v_scale = static_cast<float>(torch_eps ? 1 / correction2(t) : 1);
    s.eps = static_cast<float>(eps);
    return s;
  }
};

class AdamKernel : public EveryTarget {};

TEST_P(AdamKernel, FourUpdatesAgreeWithDoublePrecisionInEveryForm) {
  for (const int64_t n : {1, 3, 17, 64, 129}) {
    for (int form = 0; form < 24; ++form) {
      const Oracle oracle{.decay = form % 2 != 0 ? 0.1 : 0,
                          .factor = 0.7,
                          .gradient_scale = 0.125,
                          .decoupled = form % 4 < 2,
                          .torch_eps = form % 8 < 4,
                          .kind = static_cast<Kind>(form / 8)};
      Guarded p(normal_numbers(n, 1)), m(n), v(n);
      std::vector<double> wide_p = widened(p.values()), wide_m(n), wide_v(n);
      for (int t = 1; t <= 4; ++t) {
        Guarded g(normal_numbers(n, 10 + t, t == 3 ? 1e-9 : 1));  // as small as eps
        const std::vector<float> before = g.values();
        adam_update(oracle.kernel(t), p.data(), g.data(), m.data(), v.data(), 0, n);
        expect_same(g.values(), before, "g");
        oracle.step(t, wide_p, widened(before), wide_m, wide_v);
      }
      const std::string what = std::to_string(n) + " form " + std::to_string(form);
      expect_close(p.values(), wide_p, 1e-6, what + " p");
      expect_close(m.values(), wide_m, 1e-6, what + " m");
      expect_close(v.values(), wide_v, 1e-6, what + " v");
    }
  }
}

TEST_P(AdamKernel, ZeroStaysZeroAndTheGradientIsClearedIfAsked) {
  Guarded p(21), g(21), m(21), v(21);
  AdamStep step = Oracle().kernel(1);
  adam_update(step, p.data(), g.data(), m.data(), v.data(), 0, 21);
  expect_same(p.values(), std::vector<float>(21), "p");  // the gaps between the blocks of the store
  std::fill_n(g.data(), 21, 2.0F);
  step.clears_gradient = true;
  adam_update(step, p.data(), g.data(), m.data(), v.data(), 2, 20);
  for (int64_t i = 0; i < 21; ++i) {
    const bool inside = i >= 2 && i < 20;
    EXPECT_EQ(g.values()[i], inside ? 0 : 2);
    EXPECT_NEAR(p.values()[i], inside ? -1e-3 : 0, 1e-9);  // the first step is lr * sign(g)
  }
}

TEST_P(AdamKernel, SplittingTheElementsChangesNoBit) {
  for (const Kind kind : {Kind::Momentum, Kind::Adaptive}) {
    const AdamStep step = Oracle{.decay = 0.1, .gradient_scale = 0.3, .kind = kind}.kernel(3);
    Guarded g(normal_numbers(301, 1));
    Guarded p(normal_numbers(301, 2)), m(normal_numbers(301, 3)), v(std::vector<float>(301, 0.3F));
    Guarded q(p.values()), n(m.values()), w(v.values());
    adam_update(step, p.data(), g.data(), m.data(), v.data(), 0, 301);
    for (const auto& [begin, end] : {std::pair{0, 1}, {1, 14}, {14, 14}, {14, 61}, {61, 301}}) {
      adam_update(step, q.data(), g.data(), n.data(), w.data(), begin, end);
    }
    expect_same(p.values(), q.values(), "p");
    expect_same(m.values(), n.values(), "m");
    expect_same(v.values(), w.values(), "v");
  }
}

TEST_P(AdamKernel, NotANumberStaysWhereItIs) {
  Guarded p(normal_numbers(11, 1)), g(normal_numbers(11, 2)), m(11), v(11);
  g.data()[10] = std::numeric_limits<float>::quiet_NaN();
  adam_update(Oracle().kernel(1), p.data(), g.data(), m.data(), v.data(), 0, 11);
  for (int64_t i = 0; i < 11; ++i) EXPECT_EQ(std::isnan(p.values()[i]), i == 10);
}

// optim/clip.cpp has the same eight lanes.
TEST_P(AdamKernel, SumOfSquaresHasTheSameBitsOnEveryMachine) {
  for (const int64_t n : {0, 1, 7, 8, 9, 31, 64, 1000, 16384}) {
    const std::vector<float> x = normal_numbers(n, 7, 3);
    double lanes[8] = {};
    for (int64_t i = 0; i < n; ++i) {
      const double value = x[i];
      lanes[i < n - n % 8 ? i % 8 : 0] += value * value;
    }
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    Guarded buffer(x);
    EXPECT_EQ(sum_of_squares(buffer.data(), 0, n), sum) << n;
  }
}

TEST_P(AdamKernel, SumOfSquaresOfFloatsIsFiniteUnlessOneIsNot) {
  Guarded x(std::vector<float>(100, 3e38F));
  EXPECT_TRUE(std::isfinite(sum_of_squares(x.data(), 0, 100)));
  x.data()[40] = -std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(sum_of_squares(x.data(), 0, 100)));
  EXPECT_TRUE(std::isfinite(sum_of_squares(x.data(), 41, 100)));
  x.data()[99] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(sum_of_squares(x.data(), 0, 100)));
}

INSTANTIATE_TEST_SUITE_P(Targets, AdamKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
