#include "support/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "plumb/base/random_stream.h"

namespace plumb::test {

at::Tensor random(const std::vector<int64_t>& shape, uint64_t seed) {
  RandomStream stream(seed, "test");
  at::Tensor result = at::empty(shape, at::kDouble);
  for (int64_t i = 0; i < result.numel(); ++i) result.data_ptr<double>()[i] = stream.normal();
  return result;
}

Rows rows_of(const at::Tensor& x) {
  const at::Tensor flat = x.detach().to(at::kDouble).contiguous().view({-1, x.size(-1)});
  Rows rows;
  for (int64_t i = 0; i < flat.size(0); ++i) {
    const double* row = flat.data_ptr<double>() + i * flat.size(1);
    rows.emplace_back(row, row + flat.size(1));
  }
  return rows;
}

at::Tensor tensor_of(const Rows& rows) {
  std::vector<at::Tensor> tensors;
  for (const Row& row : rows) tensors.push_back(at::tensor(row, at::kDouble));
  return at::stack(tensors);
}

std::vector<int64_t> values(const at::Tensor& ids) {
  return {ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + ids.numel()};
}

double difference(const at::Tensor& actual, const Rows& expected) {
  const Rows rows = rows_of(actual);
  if (rows.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double worst = 0, largest = 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != expected[i].size()) return std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < rows[i].size(); ++j) {
      const double gap = std::abs(rows[i][j] - expected[i][j]);
      if (std::isnan(gap)) return std::numeric_limits<double>::infinity();
      worst = std::max(worst, gap);
      largest = std::max(largest, std::abs(expected[i][j]));
    }
  }
  return worst / largest;
}

}  // namespace plumb::test
