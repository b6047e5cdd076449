#include "plumb/kernel/glu.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

constexpr int64_t kGluWidths[] = {1, 3, 17, 64, 100, 129};

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

struct GluCase {
  GluCase(int64_t row_count, int64_t columns, bool biased)
      : rows(row_count),
        width(columns),
        in(normal_numbers(2 * rows * width, 1, 2)),
        dout(normal_numbers(rows * width, 2)),
        bias(biased ? normal_numbers(2 * width, 3) : std::vector<float>(2 * width)),
        out(rows * width),
        din(2 * rows * width),
        dbias(2 * width) {
    for (int64_t i = 0; i < rows * width; ++i) {
      const int64_t column = i % width, left = i / width * 2 * width + column, right = left + width;
      const double a = static_cast<double>(in[left] + bias[column]);
      const double s = sigmoid(static_cast<double>(in[right] + bias[width + column]));
      out[i] = a * s;
      din[left] = dout[i] * s;
      din[right] = dout[i] * a * s * (1 - s);
      dbias[column] += din[left];
      dbias[width + column] += din[right];
    }
  }

  int64_t rows, width;
  std::vector<float> in, dout, bias;
  std::vector<double> out, din, dbias;  // what is wanted
};

class GluKernel : public EveryTarget {};

TEST_P(GluKernel, AgreesWithDoublePrecision) {
  for (const int64_t width : kGluWidths) {
    for (const bool biased : {false, true}) {
      const GluCase c(9, width, biased);
      const std::string what = std::to_string(width) + (biased ? " biased" : "");
      Guarded in(c.in), bias(c.bias), out(9 * width), dout(c.dout), din(18 * width), dbias(2 * width, 7);
      const float* added = biased ? bias.data() : nullptr;
      glu_forward({.bias = added, .width = width, .in = in.data(), .out = out.data()}, 0, 9);
      expect_close(out.values(), c.out, 5e-7, what + " out");
      GluBackward call{.bias = added,
                       .width = width,
                       .in = in.data(),
                       .dout = dout.data(),
                       .din = din.data(),
                       .dbias = dbias.data()};
      glu_backward(call, 0, 9);
      expect_close(din.values(), c.din, 5e-7, what + " din");
      expect_close(dbias.values(), c.dbias, 1e-6, what + " dbias", /*least=*/1);
      const std::vector<float> apart = din.values();
      call.din = in.data();
      call.dbias = nullptr;
      glu_backward(call, 0, 9);
      expect_same(in.values(), apart, what + " in place");
    }
  }
}

TEST_P(GluKernel, KeepsTheDigitsOfAGateThatIsNearlyClosedOrOpen) {
  constexpr int kPoints = 161;
  std::vector<float> values(2 * kPoints, 1);
  for (int i = 0; i < kPoints; ++i) values[kPoints + i] = static_cast<float>(i - 80);
  Guarded in(values), out(kPoints), one(kPoints, 1), din(2 * kPoints);
  glu_forward({.width = kPoints, .in = in.data(), .out = out.data()}, 0, 1);
  glu_backward({.width = kPoints, .in = in.data(), .dout = one.data(), .din = din.data()}, 0, 1);
  for (int i = 0; i < kPoints; ++i) {
    const double x = values[kPoints + i], open = sigmoid(x), slope = sigmoid(x) * sigmoid(-x);
    ASSERT_NEAR(out.values()[i], open, 1e-6 * open) << x;
    ASSERT_NEAR(din.values()[kPoints + i], slope, 1e-6 * slope) << x;
  }
}

TEST_P(GluKernel, SplittingTheRowsChangesNoBit) {
  const GluCase c(13, 100, true);
  Guarded in(c.in), bias(c.bias), whole(1300), split(1300), dout(c.dout), whole_din(2600), split_din(2600);
  const auto run = [&](Guarded& out, Guarded& din, int64_t begin, int64_t end) {
    glu_forward({.bias = bias.data(), .width = 100, .in = in.data(), .out = out.data()}, begin, end);
    glu_backward({.bias = bias.data(), .width = 100, .in = in.data(), .dout = dout.data(), .din = din.data()}, begin,
                 end);
  };
  run(whole, whole_din, 0, 13);
  for (const auto& [begin, end] : {std::pair{5, 13}, {0, 2}, {2, 5}}) run(split, split_din, begin, end);
  expect_same(whole.values(), split.values(), "out");
  expect_same(whole_din.values(), split_din.values(), "din");
}

TEST_P(GluKernel, NotANumberStaysOne) {
  for (const int64_t bad : {0, 20, 21, 41}) {  // of the left half, of the right half
    std::vector<float> values = normal_numbers(42, 1);
    values[bad] = std::numeric_limits<float>::quiet_NaN();
    Guarded in(values), out(21), one(21, 1), din(42);
    glu_forward({.width = 21, .in = in.data(), .out = out.data()}, 0, 1);
    glu_backward({.width = 21, .in = in.data(), .dout = one.data(), .din = din.data()}, 0, 1);
    for (int64_t i = 0; i < 21; ++i) {
      EXPECT_EQ(std::isnan(out.values()[i]), i == bad % 21) << bad << ' ' << i;
      EXPECT_EQ(std::isnan(din.values()[21 + i]), i == bad % 21) << bad << ' ' << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, GluKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
