#include "plumb/residual/norm.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "residual/support/plans.h"

namespace plumb::test {
namespace {

/// Names, shapes and first values of the norm "encoder.n" of width 6 (docs/parameters.md).
std::map<std::string, Row> parts(NormKind kind) {
  ParameterStore store;
  const Norm norm(store, {.module = "n"}, kind, kWidth, 1e-5);
  store.allocate(at::kDouble);
  store.draw(1);
  std::map<std::string, Row> result;
  for (const auto& entry : store.entries()) result[entry.spec.name] = vector_of(store, entry.spec.name);
  return result;
}

using Parts = std::map<std::string, Row>;

TEST(Norm, HasTheParametersOfItsKind) {
  const Row ones(kWidth, 1), zeros(kWidth, 0);
  EXPECT_EQ(parts(NormKind::Layer), (Parts{{"encoder.n.weight", ones}, {"encoder.n.bias", zeros}}));
  EXPECT_EQ(parts(NormKind::Rms), (Parts{{"encoder.n.weight", ones}}));
  EXPECT_EQ(parts(NormKind::Scale), (Parts{{"encoder.n.weight", {std::sqrt(6.0)}}}));
  EXPECT_EQ(parts(NormKind::Dyt),
            (Parts{{"encoder.n.weight", ones}, {"encoder.n.bias", zeros}, {"encoder.n.alpha", {0.5}}}));
}

TEST(Norm, IsFalsyWhenAbsent) {
  EXPECT_FALSE(static_cast<bool>(Norm()));
  ParameterStore store;
  EXPECT_TRUE(static_cast<bool>(Norm(store, {.module = "n"}, NormKind::Rms, kWidth, 1e-5)));
}

/// A norm of the kind with random parameters, applied to random rows.
struct Applied {
  ParameterStore store;
  Rows x;
  at::Tensor y;

  explicit Applied(NormKind kind, double eps = 1e-5) {
    const Norm norm(store, {.module = "n"}, kind, kWidth, eps);
    allocate_random(store, 3);
    const at::Tensor input = random(5, 1);
    x = rows_of(input);
    y = norm(input);
  }
  Row number(const std::string& name) const { return vector_of(store, "encoder.n." + name); }
};

double square_sum(const Row& row) {
  double sum = 0;
  for (double v : row) sum += v * v;
  return sum;
}

TEST(Norm, OfLayersUsesItsWeightAndItsBias) {
  for (double eps : {1e-5, 0.5}) {
    const Applied a(NormKind::Layer, eps);
    EXPECT_LE(largest_gap(a.y, plain_layer_norm(a.x, a.store, "encoder.n", eps)), 1e-12);
  }
}

TEST(Norm, OfRootMeanSquaresUsesItsWeight) {
  const Applied a(NormKind::Rms, 0.5);
  Rows expected = a.x;
  for (Row& row : expected) {
    const double rms = std::sqrt(square_sum(row) / kWidth + 0.5);
    for (size_t j = 0; j < row.size(); ++j) row[j] *= a.number("weight")[j] / rms;
  }
  EXPECT_LE(largest_gap(a.y, expected), 1e-12);
}

TEST(Norm, OfLengthUsesItsSingleWeight) {
  const Applied a(NormKind::Scale);
  Rows expected = a.x;
  for (Row& row : expected) {
    const double length = std::sqrt(square_sum(row));
    for (double& v : row) v *= a.number("weight")[0] / length;
  }
  EXPECT_LE(largest_gap(a.y, expected), 1e-12);
}

TEST(Norm, OfDynamicTanhUsesAllThree) {
  const Applied a(NormKind::Dyt);
  Rows expected = a.x;
  for (Row& row : expected) {
    for (size_t j = 0; j < row.size(); ++j) {
      row[j] = a.number("weight")[j] * std::tanh(a.number("alpha")[0] * row[j]) + a.number("bias")[j];
    }
  }
  EXPECT_LE(largest_gap(a.y, expected), 1e-12);
}

// ScaleNorm's weight starts at sqrt(D), so that a row leaves with the length that LayerNorm would give it.
TEST(Norm, OfLengthStartsWithRowsOfLengthRootOfTheWidth) {
  ParameterStore store;
  const Norm norm(store, {.module = "n"}, NormKind::Scale, kWidth, 1e-5);
  store.allocate(at::kDouble);
  store.draw(1);
  for (const Row& row : rows_of(norm(random(5, 1)))) EXPECT_NEAR(square_sum(row), kWidth, 1e-12);
}

TEST(Norm, GivesItsParametersGradients) {
  ParameterStore store;
  const Norm norm(store, {.module = "n"}, NormKind::Layer, kWidth, 1e-5);
  allocate_random(store, 3);
  norm(random(5, 1)).sum().backward();
  EXPECT_EQ(vector_of(store, "encoder.n.bias").size(), 6U);
  EXPECT_LE(largest_gap(store.gradient("encoder.n.bias"), {Row(kWidth, 5)}), 1e-12);
  EXPECT_GT(store.gradient("encoder.n.weight").abs().max().item<double>(), 1e-3);
}

}  // namespace
}  // namespace plumb::test
