#pragma once

#include <algorithm>
#include <cstdint>

#include <ATen/Parallel.h>

namespace plumb::ops {

/// body(0), ..., body(pieces - 1), each by whichever thread is free. How work is cut into pieces must follow from its
/// shape alone: then the bits of a result do not depend on the number of threads. The body must not throw.
template <class Body>
void for_each_piece(int64_t pieces, const Body& body) {
  const int threads = static_cast<int>(std::min<int64_t>(pieces, at::in_parallel_region() ? 1 : at::get_num_threads()));
  if (threads <= 1) {
    for (int64_t piece = 0; piece < pieces; ++piece) body(piece);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int64_t piece = 0; piece < pieces; ++piece) body(piece);
}

/// Rows in chunks of fixed length, the last one shorter.
struct RowChunks {
  int64_t rows, length;

  int64_t count() const { return (rows + length - 1) / length; }
  int64_t begin(int64_t chunk) const { return chunk * length; }
  int64_t end(int64_t chunk) const { return std::min(rows, (chunk + 1) * length); }
};

/// Chunks for a pass over rows of `width` floats: long enough to be worth a hand-over to another thread.
inline RowChunks row_chunks(int64_t rows, int64_t width) {
  constexpr int64_t kElements = 32768;
  return {rows, std::clamp<int64_t>(kElements / std::max<int64_t>(width, 1), 16, 256)};
}

/// body(begin, end) for every chunk.
template <class Body>
void for_each_chunk(const RowChunks& chunks, const Body& body) {
  for_each_piece(chunks.count(), [&](int64_t chunk) { body(chunks.begin(chunk), chunks.end(chunk)); });
}

}  // namespace plumb::ops
