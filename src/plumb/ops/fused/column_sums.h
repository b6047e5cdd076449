#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {

/// out[j] += sum of x[i, j] over the rows i. x is [rows, width].
void add_column_sums(const float* x, int64_t rows, int64_t width, float* out);

/// Sums over all rows that kernels make chunk by chunk: each chunk writes `width` floats of its own, and they are added
/// up at the end in the order of the chunks.
class ChunkSums {
 public:
  ChunkSums(const RowChunks& chunks, int64_t width);

  float* of_chunk(int64_t chunk) const { return sums_.data_ptr<float>() + chunk * sums_.size(1); }
  /// out[j] += the sum of column first + j, for j < count.
  void add_to(float* out, int64_t first, int64_t count) const;

 private:
  at::Tensor sums_;  // [chunks, width]
};

}  // namespace plumb::ops
