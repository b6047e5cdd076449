#include "residual/support/plans.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "plumb/base/random_stream.h"

namespace plumb::test {

Variant row_with(const Rule& rule) {
  Variant row;
  row.name = "test";
  row.rule = rule;
  return row;
}

StackPlan plan_of(const Variant& row, Stack stack, NormKind norm) {
  return {.stack = stack,
          .placement = &row,
          .init = nullptr,
          .regime = Regime::A,
          .norm = norm,
          .norm_eps = 1e-5,
          .qk_norm = QkNorm::None,
          .final_norm = row.ending.norm,
          .shape = {.encoder_layers = 5, .decoder_layers = 4, .width = kWidth, .ffn_width = 12, .heads = 2},
          .options = {},
          .truncated = false};
}

void allocate_random(ParameterStore& store, uint64_t seed) {
  store.allocate(at::kDouble);
  for (const auto& entry : store.entries()) {
    RandomStream stream(seed, entry.spec.name);
    at::Tensor value = store.value(entry.spec.name);
    for (int64_t i = 0; i < value.numel(); ++i) {
      const double sign = stream.uniform() < 0.3 ? -1 : 1;
      value.data_ptr<double>()[i] = sign * (0.4 + stream.uniform());
    }
  }
}

at::Tensor random(int64_t rows, uint64_t seed, int64_t width) {
  RandomStream stream(seed, "test");
  at::Tensor result = at::empty({rows, width}, at::kDouble);
  for (int64_t i = 0; i < result.numel(); ++i) result.data_ptr<double>()[i] = 3 * stream.normal() + 2;
  return result;
}

double largest_gap(const at::Tensor& actual, const Rows& expected) {
  const Rows rows = rows_of(actual);
  double worst = rows.size() == expected.size() ? 0 : std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < std::min(rows.size(), expected.size()); ++i) {
    if (rows[i].size() != expected[i].size()) return std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < rows[i].size(); ++j) {
      const double gap = std::abs(rows[i][j] - expected[i][j]);
      worst = std::isnan(gap) ? std::numeric_limits<double>::infinity() : std::max(worst, gap);
    }
  }
  return worst;
}

Row vector_of(const ParameterStore& store, const std::string& name) {
  return rows_of(store.value(name))[0];
}

Rows plain_layer_norm(const Rows& x, const ParameterStore& store, const std::string& name, double eps) {
  const Row weight = vector_of(store, name + ".weight"), bias = vector_of(store, name + ".bias");
  Rows result = x;
  for (Row& row : result) {
    const double n = static_cast<double>(row.size());
    double mean = 0, variance = 0;
    for (double v : row) mean += v / n;
    for (double v : row) variance += (v - mean) * (v - mean) / n;
    for (size_t i = 0; i < row.size(); ++i) row[i] = weight[i] * (row[i] - mean) / std::sqrt(variance + eps) + bias[i];
  }
  return result;
}

}  // namespace plumb::test
