#include "plumb/ops/positions.h"

#include <cmath>

#include <ATen/ATen.h>

namespace plumb::ops {

at::Tensor sinusoids(Positions convention, int64_t rows, int64_t width, at::ScalarType dtype) {
  const bool fairseq = convention == Positions::Fairseq;
  const int64_t half = width / 2;
  const double steps = static_cast<double>(fairseq ? half - 1 : half);
  const int64_t first = fairseq ? 2 : 0;
  at::Tensor table = at::empty({rows, width}, at::kDouble);
  double* row = table.data_ptr<double>();
  for (int64_t p = 0; p < rows; ++p, row += width) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(p + first) * std::exp(-static_cast<double>(i) * std::log(10000.0) / steps);
      row[i] = std::sin(angle);
      row[half + i] = std::cos(angle);
    }
  }
  return table.to(dtype);
}

}  // namespace plumb::ops
