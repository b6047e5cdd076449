#include "plumb/ops/fused/column_sums.h"

#include <ATen/ATen.h>

#include "plumb/kernel/partial_sums.h"

namespace plumb::ops {

void add_column_sums(const float* x, int64_t rows, int64_t width, float* out) {
  constexpr int64_t kColumns = 64;
  for_each_chunk({width, kColumns},
                 [&](int64_t begin, int64_t end) { kernel::add_partial_sums(x, rows, width, out, begin, end); });
}

ChunkSums::ChunkSums(const RowChunks& chunks, int64_t width) : sums_(at::empty({chunks.count(), width}, at::kFloat)) {}

void ChunkSums::add_to(float* out, int64_t first, int64_t count) const {
  kernel::add_partial_sums(sums_.data_ptr<float>() + first, sums_.size(0), sums_.size(1), out, 0, count);
}

}  // namespace plumb::ops
