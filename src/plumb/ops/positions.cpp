#include "plumb/ops/positions.h"

#include <cmath>
#include <vector>

#include <ATen/ATen.h>

namespace plumb::ops {

at::Tensor sinusoids(Positions convention, int64_t rows, int64_t width, const Where& where) {
  const bool fairseq = convention == Positions::Fairseq;
  const int64_t half = width / 2;
  const double steps = static_cast<double>(fairseq ? half - 1 : half);
  const int64_t first = fairseq ? 2 : 0;
  std::vector<double> table(static_cast<size_t>(rows * width));
  double* row = table.data();
  for (int64_t p = 0; p < rows; ++p, row += width) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(p + first) * std::exp(-static_cast<double>(i) * std::log(10000.0) / steps);
      row[i] = std::sin(angle);
      row[half + i] = std::cos(angle);
    }
  }
  return where.of(table).view({rows, width});
}

}  // namespace plumb::ops
