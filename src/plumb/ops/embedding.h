#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/ops/dropout.h"
#include "plumb/ops/packed.h"

namespace plumb::ops {

struct EmbeddingTerms {
  at::Tensor table;  // [V, D]
  at::Tensor ids;    // int64 [N]
  double scale = 1;
  at::Tensor positions = {};   // [P, D], added by the position of each row in its sequence
  int64_t first_position = 0;  // the row of `positions` for position 0
  Packed rows;
  Dropout dropout = {};
};

/// dropout(scale * table[ids] + positions[first_position + position])
at::Tensor embedding(const EmbeddingTerms& terms);

}  // namespace plumb::ops
