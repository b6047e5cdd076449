#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/probe/lanczos.h"

namespace plumb::probe {

/// The density of eigenvalues by stochastic Lanczos quadrature: each random start vector gives nodes with weights, and
/// each node becomes a normal distribution of that weight. The mean over the starts.
struct SpectralDensity {
  std::vector<double> at, value;
  double width = 0;  // the standard deviation of the normal distributions

  /// By the trapezoidal rule; 1 up to what falls beyond the ends.
  double integral() const;
};

/// `points` places from a tenth of the range below the smallest node to as much above the largest. `width` 0: the range
/// divided by the number of nodes of a start.
SpectralDensity spectral_density(std::span<const std::vector<Lanczos::Ritz>> starts, int64_t points, double width = 0);

}  // namespace plumb::probe
