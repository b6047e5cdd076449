#include "plumb/store/draw.h"

#include <cmath>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

at::Tensor drawn(const Fill& fill, std::vector<int64_t> shape, uint64_t seed = 1) {
  at::Tensor result = at::empty(shape, at::kDouble);
  draw_values(result, fill, seed, "test");
  return result;
}

struct Moments {
  double mean = 0, deviation = 0, fourth = 0, largest = 0;
};

Moments moments(const at::Tensor& x) {
  const double* values = x.data_ptr<double>();
  const double n = static_cast<double>(x.numel());
  Moments m;
  for (int64_t i = 0; i < x.numel(); ++i) m.mean += values[i] / n;
  double second = 0, fourth = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double centred = values[i] - m.mean;
    second += centred * centred / n;
    fourth += std::pow(centred, 4) / n;
    m.largest = std::max(m.largest, std::abs(values[i]));
  }
  m.deviation = std::sqrt(second);
  m.fourth = fourth / (second * second);
  return m;
}

constexpr int64_t kMany = 200'000;
const double kRoot = std::sqrt(static_cast<double>(kMany));

/// Five standard errors: the mean's is s / sqrt(n); the deviation's is s sqrt((kurtosis - 1) / 4n).
void expect_moments(const Fill& fill, double kurtosis) {
  const Moments m = moments(drawn(fill, {kMany}));
  const double s = fill.standard_deviation();
  EXPECT_NEAR(m.mean, 0, 5 * s / kRoot);
  EXPECT_NEAR(m.deviation, s, 5 * s * std::sqrt((kurtosis - 1) / 4) / kRoot);
  EXPECT_NEAR(m.fourth, kurtosis, 0.1);
}

TEST(DrawnValues, OfAUniformFillHaveItsMomentsAndStayBelowItsBound) {
  const Fill fill{.kind = Fill::Kind::Uniform, .value = 0.25};
  expect_moments(fill, 1.8);
  const double largest = moments(drawn(fill, {kMany})).largest;
  EXPECT_LE(largest, 0.25);
  EXPECT_GT(largest, 0.2499);
}

TEST(DrawnValues, OfANormalFillHaveItsMomentsAndATail) {
  const Fill fill{.kind = Fill::Kind::Normal, .value = 0.02};
  expect_moments(fill, 3);
  EXPECT_GT(moments(drawn(fill, {kMany})).largest, 4 * 0.02);
}

TEST(DrawnValues, OfATruncatedNormalStopAtThreeSigma) {
  const Fill fill{.kind = Fill::Kind::TruncatedNormal, .value = 0.02};
  // The fourth moment of a unit normal cut at c: 3 - 2 (c^3 + 3 c) phi(c) / (2 Phi(c) - 1) = 2.6806 at c = 3.
  const double phi = std::exp(-4.5) / std::sqrt(2 * std::acos(-1.0)), mass = std::erf(3 / std::sqrt(2.0));
  const double second = 1 - 2 * 3 * phi / mass, fourth = 3 - 2 * (27 + 9) * phi / mass;
  expect_moments(fill, fourth / (second * second));
  const double largest = moments(drawn(fill, {kMany})).largest;
  EXPECT_LE(largest, 3 * 0.02);
  EXPECT_GT(largest, 2.9 * 0.02);
}

TEST(DrawnValues, OfAConstantFillAreTheConstant) {
  EXPECT_TRUE(at::equal(drawn({.value = 1.5}, {2, 3}), at::full({2, 3}, 1.5, at::kDouble)));
}

TEST(DrawnValues, DependOnTheSeedAndTheName) {
  const Fill fill{.kind = Fill::Kind::Normal, .value = 1};
  EXPECT_TRUE(at::equal(drawn(fill, {8}, 1), drawn(fill, {8}, 1)));
  EXPECT_FALSE(at::equal(drawn(fill, {8}, 1), drawn(fill, {8}, 2)));
  at::Tensor other = at::empty({8}, at::kDouble);
  draw_values(other, fill, 1, "tesu");
  EXPECT_FALSE(at::equal(other, drawn(fill, {8}, 1)));
}

TEST(DrawnValues, OfAMirroredFillRepeatTheFirstHalfWithTheOtherSign) {
  const Fill plain{.kind = Fill::Kind::Uniform, .value = 1};
  const at::Tensor before = drawn(plain, {6, 4});
  Fill rows = plain, columns = plain;
  rows.mirror = Fill::Mirror::Rows;
  columns.mirror = Fill::Mirror::Columns;
  const at::Tensor by_rows = drawn(rows, {6, 4}), by_columns = drawn(columns, {6, 4});
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      const auto value = [&](int64_t row, int64_t column) { return before[row][column].item<double>(); };
      EXPECT_EQ(by_rows[i][j].item<double>(), i < 3 ? value(i, j) : -value(i - 3, j));
      EXPECT_EQ(by_columns[i][j].item<double>(), j < 2 ? value(i, j) : -value(i, j - 2));
    }
  }
}

// mathematics.md 3.13: FF(x) = W2 act(W1 x) is linear at the start, so FF(x) + FF(-x) = 0.
TEST(DrawnValues, OfAMirroredFeedForwardMakeItOdd) {
  const at::Tensor w1 = drawn({.kind = Fill::Kind::Uniform, .value = 1, .mirror = Fill::Mirror::Rows}, {12, 5});
  const at::Tensor w2 = drawn({.kind = Fill::Kind::Uniform, .value = 1, .mirror = Fill::Mirror::Columns}, {5, 12}, 2);
  const at::Tensor x = drawn({.kind = Fill::Kind::Normal, .value = 1}, {3, 5}, 3);
  const auto feed_forward = [&](const at::Tensor& u) { return at::relu(u.mm(w1.t())).mm(w2.t()); };
  EXPECT_LT((feed_forward(x) + feed_forward(-x)).abs().max().item<double>(), 1e-14);
  EXPECT_GT(feed_forward(x).abs().max().item<double>(), 0.1);
}

}  // namespace
}  // namespace plumb
