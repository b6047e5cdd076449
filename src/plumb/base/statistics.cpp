#include "plumb/base/statistics.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace plumb {

double student_t(int64_t degrees) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  if (degrees < 1) return std::numeric_limits<double>::infinity();
  if (degrees <= std::ssize(kTable)) return kTable[degrees - 1];
  // The first two terms of the expansion around the normal distribution's quantile.
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(degrees);
  return z + (z * z * z + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

Summary summarise(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("there is nothing to summarise");
  const auto n = static_cast<double>(values.size());
  Summary s{.mean = std::accumulate(values.begin(), values.end(), 0.0) / n, .count = std::ssize(values)};
  double squares = 0;
  for (double value : values) squares += (value - s.mean) * (value - s.mean);
  if (values.size() > 1) s.deviation = std::sqrt(squares / (n - 1));
  const double reach = values.size() > 1 ? student_t(s.count - 1) * s.deviation / std::sqrt(n) : student_t(0);
  s.low = s.mean - reach;
  s.high = s.mean + reach;
  return s;
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size() || x.size() < 2) throw std::invalid_argument("a line needs two points");
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (!(xx > 0)) throw std::invalid_argument("a line needs two different places");
  Line line{.slope = xy / xx};
  line.intercept = mean_y - line.slope * mean_x;
  double left = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = y[i] - line.intercept - line.slope * x[i];
    left += error * error;
  }
  line.r2 = yy > 0 ? 1 - left / yy : 1;
  const double reach = x.size() > 2 ? student_t(std::ssize(x) - 2) * std::sqrt(left / (n - 2) / xx) : student_t(0);
  line.slope_low = line.slope - reach;
  line.slope_high = line.slope + reach;
  return line;
}

}  // namespace plumb
