#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/ops/packed.h"

namespace plumb::ops {

struct Unfolded {
  at::Tensor x;  // [N', kernel * C]
  Packed rows;   // N' rows; the samples keep their names
};

/// The windows of a convolution over the rows x [N, C] of each sequence: row t of the result holds the rows
/// stride * t - kernel / 2, ..., stride * t + kernel / 2 of its own sequence, one after another, zeros where the
/// sequence has none. The product with a matrix is then the convolution. `kernel` must be odd; a sequence of n rows has
/// n / stride windows, rounded up.
Unfolded unfold(const at::Tensor& x, const Packed& rows, int64_t kernel, int64_t stride);

/// How many windows a sequence of `length` rows has.
inline int64_t unfolded_length(int64_t length, int64_t stride) {
  return (length + stride - 1) / stride;
}

/// Where the windows lie: rows `in` of x, rows `out` of the result.
struct Windows {
  Packed in, out;
  int64_t kernel = 1, stride = 1;

  /// The row of x in each place of each window, or -1. [N', kernel]
  std::vector<int64_t> sources() const;
};

}  // namespace plumb::ops
