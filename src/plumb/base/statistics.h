#pragma once

#include <cstdint>
#include <span>

namespace plumb {

/// Of a few independent measurements: their mean, the sample standard deviation, and the 95 % confidence interval of
/// the mean by Student's t. With one measurement the interval is unbounded.
struct Summary {
  double mean = 0, deviation = 0, low = 0, high = 0;
  int64_t count = 0;
};
Summary summarise(std::span<const double> values);

/// y = intercept + slope x by least squares, with the 95 % confidence interval of the slope and R^2, the share of the
/// variance of y that the line explains. Takes at least two different x; with two points the interval is unbounded.
struct Line {
  double intercept = 0, slope = 0, slope_low = 0, slope_high = 0, r2 = 0;
};
Line fit_line(std::span<const double> x, std::span<const double> y);

/// The value that Student's t stays below with a probability of 97.5 %, to 0.1 %; infinite without degrees of freedom.
double student_t(int64_t degrees);

}  // namespace plumb
