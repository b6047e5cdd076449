#include "plumb/kernel/norm.h"

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "plumb/kernel/partial_sums.h"

#include "kernel/support/norm_oracle.h"
#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

constexpr NormKind kKinds[] = {NormKind::Layer, NormKind::Rms, NormKind::Scale, NormKind::Dyt};
constexpr int64_t kNormWidths[] = {1, 3, 17, 64, 100, 129, 512};
constexpr float kEps = 1e-5F;

/// A norm of `rows` rows and everything that it reads, in double precision; all of it are floats.
struct NormCase {
  NormCase(NormKind kind, int64_t row_count, int64_t columns)
      : rows(row_count),
        width(columns),
        x(widened(normal_numbers(rows * width, 1, 2, 0.5))),
        dy(widened(normal_numbers(rows * width, 2))),
        norm{.kind = kind,
             .eps = kEps,
             .weight = widened(normal_numbers(kind == NormKind::Scale ? 1 : width, 3, 0.2, 1)),
             .bias = widened(normal_numbers(width, 4, 0.5)),
             .alpha = {0.5}} {}

  std::vector<double> forward() const { return norm(x, width); }

  /// sum of dy * y, whose slopes are the gradients.
  double loss() const {
    const std::vector<double> y = forward();
    return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
  }

  int64_t rows, width;
  std::vector<double> x, dy;
  NormOracle norm;
};

/// The same case in guarded buffers.
struct NormBuffers {
  explicit NormBuffers(const NormCase& c)
      : rows(c.rows),
        width(c.width),
        x(narrowed(c.x)),
        dy(narrowed(c.dy)),
        weight(narrowed(c.norm.weight)),
        bias(narrowed(c.norm.bias)),
        alpha(narrowed(c.norm.alpha)),
        y(rows * width),
        dx(rows * width),
        mean(rows),
        rstd(rows),
        dweight(weight.size(), 7),  // they are written, whatever was there
        dbias(width, 7),
        dalpha(1, 7),
        terms{c.norm.kind, kEps, weight.data(), bias.data(), alpha.data()} {}

  NormStats stats() { return {mean.data(), rstd.data()}; }
  NormForward forward() { return {terms, width, x.data(), y.data(), stats()}; }
  NormBackward backward(NormSide side) {
    const bool biased = terms.kind == NormKind::Layer || terms.kind == NormKind::Dyt;
    return {.norm = terms,
            .side = side,
            .width = width,
            .saved = side == NormSide::Input ? x.data() : y.data(),
            .stats = stats(),
            .dy = dy.data(),
            .dx = dx.data(),
            .gradients = {dweight.data(), biased ? dbias.data() : nullptr,
                          terms.kind == NormKind::Dyt ? dalpha.data() : nullptr}};
  }

  int64_t rows, width;
  Guarded x, dy, weight, bias, alpha, y, dx, mean, rstd, dweight, dbias, dalpha;
  NormTerms terms;
};

class NormKernel : public EveryTarget {};

TEST_P(NormKernel, ForwardAgreesWithDoublePrecision) {
  for (const NormKind kind : kKinds) {
    for (const int64_t width : kNormWidths) {
      const NormCase c(kind, 5, width);
      NormBuffers b(c);
      norm_forward(b.forward(), 0, c.rows);
      expect_close(b.y.values(), c.forward(), 1e-6, std::string(word(kind)) + " " + std::to_string(width));
    }
  }
}

TEST_P(NormKernel, BackwardAgreesWithDifferences) {
  for (const NormKind kind : kKinds) {
    for (const int64_t width : kNormWidths) {
      NormCase c(kind, width > 64 ? 2 : 6, width);
      NormBuffers b(c);
      norm_forward(b.forward(), 0, c.rows);
      norm_backward(b.backward(NormSide::Input), 0, c.rows);
      const std::string what = std::string(word(kind)) + " " + std::to_string(width);
      const auto loss = [&] { return c.loss(); };
      // A layer norm of one column is a constant, and the slope of a constant is rounding.
      if (width > 1 || kind == NormKind::Dyt) {
        expect_close(b.dx.values(), differences(c.x, loss), 2e-6, what + " dx");
        expect_close(b.dweight.values(), differences(c.norm.weight, loss), 2e-6, what + " dweight");
      }
      const NormGradients wanted = b.backward(NormSide::Input).gradients;
      if (wanted.bias) expect_close(b.dbias.values(), differences(c.norm.bias, loss), 2e-6, what + " dbias");
      if (wanted.alpha) expect_close(b.dalpha.values(), differences(c.norm.alpha, loss), 5e-6, what + " dalpha");
    }
  }
}

TEST_P(NormKernel, BackwardFromTheOutputIsThatFromTheInput) {
  for (const NormKind kind : {NormKind::Layer, NormKind::Rms, NormKind::Scale}) {
    for (const int64_t width : kNormWidths) {
      if (width == 1) continue;
      const NormCase c(kind, 6, width);
      NormBuffers from_x(c), from_y(c);
      ASSERT_TRUE(norm_is_invertible(from_x.terms, width));
      norm_forward(from_x.forward(), 0, c.rows);
      norm_forward(from_y.forward(), 0, c.rows);
      norm_backward(from_x.backward(NormSide::Input), 0, c.rows);
      norm_backward(from_y.backward(NormSide::Output), 0, c.rows);
      const std::string what = std::string(word(kind)) + " " + std::to_string(width);
      expect_close(from_y.dx.values(), widened(from_x.dx.values()), 4e-6, what + " dx");
      expect_close(from_y.dweight.values(), widened(from_x.dweight.values()), 4e-6, what + " dweight");
    }
  }
}

TEST_P(NormKernel, AddsWhatFlowsAnotherWayAndWorksInPlace) {
  for (const NormKind kind : kKinds) {
    for (const int64_t width : {3, 64, 129}) {
      const NormCase c(kind, 4, width);
      NormBuffers apart(c), in_place(c);
      norm_forward(apart.forward(), 0, c.rows);
      NormBackward call = apart.backward(NormSide::Input);
      norm_backward(call, 0, c.rows);
      std::vector<double> want = widened(apart.dx.values());
      Guarded extra(normal_numbers(c.rows * width, 9));
      for (size_t i = 0; i < want.size(); ++i) want[i] += extra.values()[i];

      NormForward forward = in_place.forward();
      Guarded x(narrowed(c.x));
      forward.x = forward.y = x.data();
      norm_forward(forward, 0, c.rows);
      expect_same(x.values(), apart.y.values(), "in place");

      call.extra = extra.data();
      call.dx = extra.data();
      norm_backward(call, 0, c.rows);
      expect_close(extra.values(), want, 1e-6, "extra");
      call.extra = nullptr;
      call.dx = apart.dy.data();
      const std::vector<float> before = apart.dx.values();
      norm_backward(call, 0, c.rows);
      expect_same(apart.dy.values(), before, "dx over dy");
    }
  }
}

TEST_P(NormKernel, SplittingTheRowsChangesNoBit) {
  for (const NormKind kind : kKinds) {
    for (const int64_t width : {17, 64, 100}) {
      const NormCase c(kind, 23, width);
      NormBuffers whole(c), split(c);
      norm_forward(whole.forward(), 0, 23);
      for (const auto& [begin, end] : {std::pair{0, 1}, {1, 7}, {7, 7}, {7, 23}}) {
        norm_forward(split.forward(), begin, end);
      }
      expect_same(whole.y.values(), split.y.values(), "y");
      expect_same(whole.mean.values(), split.mean.values(), "mean");
      expect_same(whole.rstd.values(), split.rstd.values(), "rstd");

      // Chunks of 8 rows, made in another order than they are added.
      NormBackward call = split.backward(NormSide::Input);
      Guarded partials(3 * split.dweight.size());
      for (const int64_t chunk : {2, 0, 1}) {
        call.gradients.weight = partials.data() + chunk * split.dweight.size();
        norm_backward(call, 8 * chunk, std::min<int64_t>(23, 8 * (chunk + 1)));
      }
      Guarded sums(split.dweight.size());
      add_partial_sums(partials.data(), 3, split.dweight.size(), sums.data(), 0, split.dweight.size());
      norm_backward(whole.backward(NormSide::Input), 0, 23);
      expect_same(whole.dx.values(), split.dx.values(), "dx");
      expect_close(sums.values(), widened(whole.dweight.values()), 1e-6, "dweight");
    }
  }
}

TEST_P(NormKernel, ALargeMeanAndAWideRowKeepTheirDigits) {
  for (const auto& [width, mean] : {std::pair{4096, 1.0}, {4096, 100.0}, {512, 1000.0}}) {
    NormCase c(NormKind::Layer, 2, width);
    c.x = widened(normal_numbers(2 * width, 1, 1, mean));
    NormBuffers b(c);
    norm_forward(b.forward(), 0, 2);
    expect_close(b.y.values(), c.forward(), 1e-6, std::to_string(mean));
  }
}

TEST_P(NormKernel, ARowOfZerosHasAGradient) {
  for (const NormKind kind : kKinds) {
    NormCase c(kind, 1, 17);
    c.x.assign(17, 0);
    NormBuffers b(c);
    norm_forward(b.forward(), 0, 1);
    norm_backward(b.backward(NormSide::Input), 0, 1);
    expect_close(b.y.values(), c.forward(), 1e-6, "y");
    for (const float value : b.dx.values()) EXPECT_TRUE(std::isfinite(value)) << word(kind);
  }
  NormCase c(NormKind::Scale, 1, 17);  // the floor holds: the norm is linear
  c.x.assign(17, 1e-8);
  NormBuffers b(c);
  norm_forward(b.forward(), 0, 1);
  norm_backward(b.backward(NormSide::Input), 0, 1);
  for (double& g : c.dy) g *= c.norm.weight[0] / static_cast<double>(kEps);
  expect_close(b.dx.values(), c.dy, 1e-6, "dx");
}

TEST_P(NormKernel, NotANumberSpoilsItsRowOnly) {
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  for (const NormKind kind : kKinds) {
    for (const float value : bad) {
      if (kind == NormKind::Dyt && std::isinf(value)) continue;  // tanh(infinity) is 1
      for (const int64_t column : {2, 16}) {
        NormBuffers b(NormCase(kind, 3, 17));
        b.x.data()[17 + column] = value;
        norm_forward(b.forward(), 0, 3);
        norm_backward(b.backward(NormSide::Input), 0, 3);
        for (const auto& result : {b.y.values(), b.dx.values()}) {
          for (int64_t row = 0; row < 3; ++row) {
            const auto finite = [](float v) { return std::isfinite(v); };
            const bool good = std::all_of(result.begin() + row * 17, result.begin() + row * 17 + 17, finite);
            EXPECT_EQ(good, row != 1) << word(kind) << ' ' << value << " row " << row;
          }
        }
      }
    }
  }
}

TEST(NormIsInvertible, NeedsWeightsThatAreLargeBesideTheBias) {
  std::vector<float> weight(10, 1), bias(10, 0);
  const auto invertible = [&](NormKind kind) {
    return norm_is_invertible({kind, kEps, weight.data(), bias.data(), nullptr}, 10);
  };
  EXPECT_TRUE(invertible(NormKind::Layer));
  EXPECT_TRUE(invertible(NormKind::Scale));
  EXPECT_FALSE(invertible(NormKind::Dyt));
  bias[9] = 100;
  EXPECT_FALSE(invertible(NormKind::Layer));
  EXPECT_TRUE(invertible(NormKind::Rms));
  weight[9] = 0;
  EXPECT_FALSE(invertible(NormKind::Rms));
  EXPECT_TRUE(invertible(NormKind::Scale));
  weight[9] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(invertible(NormKind::Layer));
}

INSTANTIATE_TEST_SUITE_P(Targets, NormKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
