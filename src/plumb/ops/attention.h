#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/ops/dropout.h"
#include "plumb/ops/packed.h"

namespace plumb::ops {

/// Some columns of a matrix, as a projection leaves several results side by side.
struct Columns {
  Columns(const at::Tensor& all) : matrix(all), count(all.size(1)) {}  // NOLINT: every matrix is columns
  Columns(const at::Tensor& matrix, int64_t first, int64_t count) : matrix(matrix), first(first), count(count) {}

  at::Tensor view() const { return first == 0 && count == matrix.size(1) ? matrix : matrix.narrow(1, first, count); }

  at::Tensor matrix;  // [N, at least first + count]
  int64_t first = 0, count;
};

struct AttentionTerms {
  Packed queries, keys;
  int64_t heads = 1;
  double scale = 1;
  bool causal = false;
  Dropout dropout = {};
  /// Sequence b of the queries reads sequence readers[b] of the keys; empty: its own number. No gradients then.
  std::vector<int64_t> readers = {};

  int64_t key_sequence(int64_t sequence) const {
    return readers.empty() ? sequence : readers[static_cast<size_t>(sequence)];
  }
};

/// softmax(scale * q k^T) v for every head of every sequence, heads joined. Sequence b of the queries sees sequence b
/// of the keys and nothing else; with `causal`, position t sees keys 0 .. t. q is [N, D], k and v are [S, D]; the
/// dropout falls on the softmax.
///
/// The reference pads inside the op; a loop over sequences is its oracle (tests/ops/attention_test.cpp). The fused path
/// goes through heads and sequences one by one, and its scores never leave the cache. It wants the columns of one
/// matrix to be all of that matrix: [q k v], or [k v].
at::Tensor attention(const Columns& q, const Columns& k, const Columns& v, const AttentionTerms& terms);

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Packed& queries,
                     const Packed& keys, int64_t heads, double scale, bool causal, const Dropout& dropout);

}  // namespace plumb::ops
