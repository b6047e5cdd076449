#include "plumb/probe/spectral_density.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <c10/util/Exception.h>

namespace plumb::probe {

double SpectralDensity::integral() const {
  double sum = 0;
  for (size_t i = 1; i < at.size(); ++i) sum += (at[i] - at[i - 1]) * (value[i] + value[i - 1]) / 2;
  return sum;
}

SpectralDensity spectral_density(std::span<const std::vector<Lanczos::Ritz>> starts, int64_t points, double width) {
  TORCH_CHECK(!starts.empty() && points >= 2, "a density needs nodes and places");
  double low = std::numeric_limits<double>::infinity(), high = -low;
  size_t nodes = 0;
  for (const auto& start : starts) {
    for (const Lanczos::Ritz& node : start) {
      low = std::min(low, node.value);
      high = std::max(high, node.value);
    }
    nodes = std::max(nodes, start.size());
  }
  TORCH_CHECK(nodes > 0, "a density needs nodes");
  const double range = high > low ? high - low : std::max(std::abs(high), 1.0);
  SpectralDensity density;
  density.width = width > 0 ? width : range / static_cast<double>(nodes);
  const double first = low - range / 10, step = 1.2 * range / static_cast<double>(points - 1);
  const double height = 1 / (std::sqrt(2 * std::numbers::pi) * density.width * static_cast<double>(starts.size()));
  for (int64_t i = 0; i < points; ++i) {
    const double place = first + step * static_cast<double>(i);
    double sum = 0;
    for (const auto& start : starts) {
      for (const Lanczos::Ritz& node : start) {
        const double away = (place - node.value) / density.width;
        sum += node.weight * std::exp(-away * away / 2);
      }
    }
    density.at.push_back(place);
    density.value.push_back(height * sum);
  }
  return density;
}

}  // namespace plumb::probe
