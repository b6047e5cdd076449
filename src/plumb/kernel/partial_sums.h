#pragma once

#include <cstdint>

namespace plumb::kernel {

/// Gradients of what all rows share are sums over the rows. A kernel writes one such sum for each chunk of rows that
/// it is called with; added up here chunk by chunk, so the bits depend on where the chunks begin but neither on the
/// number of threads nor on who made which. A chunk of 64 to 256 rows keeps the buffers small.
///
/// out[i] += sum over c < chunks of partials[c * stride + i], for i = begin .. end - 1. In double, but for 16 at a
/// time.
void add_partial_sums(const float* partials, int64_t chunks, int64_t stride, float* out, int64_t begin, int64_t end);

}  // namespace plumb::kernel
