#include "plumb/base/sparkline.h"

#include <algorithm>
#include <cmath>

namespace plumb {

std::string sparkline(std::span<const double> heights) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (double height : heights) {
    line += std::isnan(height) ? "?" : kBlocks[std::lround(7 * std::clamp(height, 0.0, 1.0))];
  }
  return line;
}

}  // namespace plumb
