#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "plumb/ops/packed.h"

namespace plumb::ops {

/// One dropout layer of one step. Whether an element is kept is a pure function of (seed, step, site, sample,
/// position, feature), or of head, query and key in attention: it depends neither on the number of threads, nor on
/// which sequences share a batch, nor on which path runs.
struct Dropout {
  double p = 0;
  uint64_t seed = 0;
  uint64_t step = 0;
  uint64_t site = 0;

  bool active() const { return p > 0; }
};

/// x with each element zeroed with probability p, the rest divided by 1 - p. x is [N, D].
at::Tensor dropout(const at::Tensor& x, const Packed& rows, const Dropout& dropout);

/// The factors of attention dropout in the padded layout: 0 or 1 / (1 - p). [B, H, longest query, longest key]
at::Tensor attention_keep(const Packed& queries, const Packed& keys, int64_t heads, const Dropout& dropout,
                          const Where& where);

}  // namespace plumb::ops
