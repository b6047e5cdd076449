#pragma once

#include <cstdint>

#include "plumb/kernel/philox.h"
#include "plumb/kernel/row_names.h"

namespace plumb::kernel {

/// out[row] = dropout(scale * table[ids[row]] + positions[names.position[row]])
struct EmbeddingForward {
  float scale = 1;
  const DropoutKey* dropout = nullptr;  // null: nothing is dropped
  RowNames names = {};                  // `sample` is for dropout, `position` for `positions` too
  int64_t width = 0;                    // D
  const float* table = nullptr;         // [V, D]
  const int64_t* ids = nullptr;         // [N]
  const float* positions = nullptr;     // [longest, D] or null
  float* out = nullptr;                 // [N, D]
};

void embedding_forward(const EmbeddingForward& call, int64_t begin, int64_t end);

/// dtable[id] += scale * dropout(dout[row]) for the rows of each id. The rows come sorted by id, and those of one id
/// are added in this order whoever adds them: so a call covers a range of ids, and the bits do not depend on the
/// ranges.
///
/// Learned positions are a table whose ids are the positions.
struct EmbeddingBackward {
  float scale = 1;
  const DropoutKey* dropout = nullptr;
  RowNames names = {};
  int64_t width = 0;
  int64_t rows = 0;                // N
  const int64_t* ids = nullptr;    // [N]
  const int64_t* order = nullptr;  // [N], the rows sorted by id; a stable sort makes it unique
  const float* dout = nullptr;     // [N, D]
  float* dtable = nullptr;         // [V, D], added to
};

/// The ids begin .. end - 1.
void embedding_backward(const EmbeddingBackward& call, int64_t begin, int64_t end);

}  // namespace plumb::kernel
