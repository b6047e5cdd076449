#include "plumb/ops/dropout.h"

#include <ATen/ATen.h>

#include "plumb/base/random_stream.h"
#include "plumb/ops/fused/parallel.h"
#include "plumb/ops/path.h"
#include "plumb/ops/residual.h"

namespace plumb::ops {
namespace {

/// [N, D], 0 or 1 / (1 - p): exact in every type, unlike the float that the kernels use.
at::Tensor factors(const at::Tensor& x, const Packed& rows, const Dropout& dropout) {
  kernel::DropoutKey key = dropout_key(dropout);
  key.scale = 1;
  at::Tensor kept = at::empty(x.sizes(), at::kFloat);
  auto* first = kept.data_ptr<float>();
  const int64_t width = x.size(1);
  const kernel::RowNames names = rows.row_names();
  for_each_chunk(row_chunks(rows.rows(), width), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      kernel::keep_factors(key, static_cast<uint64_t>(names.sample[row]), static_cast<uint32_t>(names.position[row]), 0,
                           first + row * width, width);
    }
  });
  return kept.to(x.options()) * (1 / (1 - dropout.p));
}

}  // namespace

kernel::DropoutKey dropout_key(const Dropout& d) {
  const uint64_t key = splitmix64(splitmix64(splitmix64(d.seed) ^ d.step) ^ d.site);
  return {.key0 = static_cast<uint32_t>(key),
          .key1 = static_cast<uint32_t>(key >> 32),
          .threshold = static_cast<uint64_t>(d.p * 4294967296.0),
          .scale = static_cast<float>(1 / (1 - d.p))};
}

at::Tensor dropout(const at::Tensor& x, const Packed& rows, const Dropout& dropout) {
  if (!dropout.active()) return x;
  if (takes_fused_path(x)) return residual({.f = x, .rows = rows, .dropout = dropout});
  return x * factors(x, rows, dropout);
}

at::Tensor attention_keep(const Packed& queries, const Packed& keys, int64_t heads, const Dropout& dropout,
                          at::ScalarType dtype) {
  kernel::DropoutKey key = dropout_key(dropout);
  key.scale = 1;
  at::Tensor kept = at::ones({queries.sequences(), heads, queries.longest(), keys.longest()}, at::kFloat);
  auto* line = kept.data_ptr<float>();
  for (int64_t b = 0; b < queries.sequences(); ++b) {
    const auto sample = static_cast<uint64_t>(queries.samples()[static_cast<size_t>(b)]);
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t t = 0; t < queries.longest(); ++t, line += keys.longest()) {
        kernel::keep_factors(key, sample, static_cast<uint32_t>(t), static_cast<uint32_t>(h), line, keys.length(b));
      }
    }
  }
  return kept.to(dtype) * (1 / (1 - dropout.p));
}

}  // namespace plumb::ops
