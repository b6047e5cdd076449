#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "plumb/catalogue/terms.h"

namespace plumb::kernel {

/// The norms of ops/norm.h as plain loops in double precision.
struct NormOracle {
  NormKind kind;
  double eps;
  std::vector<double> weight, bias, alpha;

  /// Row by row.
  std::vector<double> operator()(const std::vector<double>& x, int64_t width) const {
    std::vector<double> y(x.size());
    for (size_t at = 0; at < x.size(); at += width) of_row(x.data() + at, y.data() + at, width);
    return y;
  }

 private:
  void of_row(const double* x, double* y, int64_t width) const {
    const auto n = static_cast<double>(width);
    double mean = 0, square = 0;
    for (int64_t i = 0; i < width; ++i) mean += x[i] / n;
    if (kind != NormKind::Layer) mean = 0;
    for (int64_t i = 0; i < width; ++i) square += (x[i] - mean) * (x[i] - mean);
    const double deviation = std::sqrt(square / n + eps), length = std::max(std::sqrt(square), eps);
    for (int64_t i = 0; i < width; ++i) {
      if (kind == NormKind::Layer) y[i] = weight[i] * (x[i] - mean) / deviation + bias[i];
      if (kind == NormKind::Rms) y[i] = weight[i] * x[i] / deviation;
      if (kind == NormKind::Scale) y[i] = weight[0] * x[i] / length;
      if (kind == NormKind::Dyt) y[i] = weight[i] * std::tanh(alpha[0] * x[i]) + bias[i];
    }
  }
};

}  // namespace plumb::kernel
