#include "plumb/ops/dropout.h"

#include <vector>

#include <ATen/ATen.h>

#include "plumb/kernel/philox.h"
#include "plumb/ops/fused/dropout.h"
#include "plumb/ops/fused/parallel.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

/// The key whose factors are 0 and 1. The division by 1 - p follows in the tensor's own type: exact in every one,
/// unlike the float that the kernels multiply by.
kernel::DropoutKey choice_key(const Dropout& dropout) {
  kernel::DropoutKey key = dropout_key(dropout);
  key.scale = 1;
  return key;
}

/// [N, D], 0 or 1 / (1 - p).
at::Tensor factors(const at::Tensor& x, const Packed& rows, const Dropout& dropout) {
  const kernel::DropoutKey key = choice_key(dropout);
  const int64_t width = x.size(1);
  std::vector<float> kept(static_cast<size_t>(x.numel()));
  const kernel::RowNames names = rows.row_names();
  for_each_chunk(row_chunks(rows.rows(), width), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      kernel::keep_factors(key, static_cast<uint64_t>(names.sample[row]), static_cast<uint32_t>(names.position[row]), 0,
                           kept.data() + row * width, width);
    }
  });
  return Where(x).of(kept).view(x.sizes()) * (1 / (1 - dropout.p));
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, const Packed& rows, const Dropout& dropout) {
  if (!dropout.active()) return x;
  return takes_fused_path(x) ? dropout_fused(x, rows, dropout) : x * factors(x, rows, dropout);
}

at::Tensor attention_keep(const Packed& queries, const Packed& keys, int64_t heads, const Dropout& dropout,
                          const Where& where) {
  const kernel::DropoutKey key = choice_key(dropout);
  const int64_t sequences = queries.sequences(), rows = queries.longest(), columns = keys.longest();
  std::vector<float> kept(static_cast<size_t>(sequences * heads * rows * columns), 1.0F);
  float* line = kept.data();
  for (int64_t b = 0; b < sequences; ++b) {
    const auto sample = static_cast<uint64_t>(queries.samples()[static_cast<size_t>(b)]);
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t t = 0; t < rows; ++t, line += columns) {
        kernel::keep_factors(key, sample, static_cast<uint32_t>(t), static_cast<uint32_t>(h), line, keys.length(b));
      }
    }
  }
  return where.of(kept).view({sequences, heads, rows, columns}) * (1 / (1 - dropout.p));
}

}  // namespace plumb::ops
