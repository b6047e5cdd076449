#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/ops/dropout.h"
#include "plumb/ops/packed.h"

namespace plumb::ops {

/// softmax(scale * q k^T) v for every head of every sequence, heads joined. Sequence b of the queries sees sequence b
/// of the keys and nothing else; with `causal`, position t sees keys 0 .. t. q is [N, D], k and v are [S, D]; the
/// dropout falls on the softmax.
///
/// The reference pads inside the op; a loop over sequences is its oracle (tests/ops/attention_test.cpp).
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Packed& queries,
                     const Packed& keys, int64_t heads, double scale, bool causal, const Dropout& dropout);

}  // namespace plumb::ops
