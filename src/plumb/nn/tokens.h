#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/memory/where.h"
#include "plumb/ops/packed.h"

namespace plumb {

/// What one stack reads, packed: token ids or, where a model reads speech, frames; and where each sequence begins.
struct Tokens {
  at::Tensor ids;  // int64 [N]
  ops::Packed rows;
  at::Tensor segments = {};  // int64 [N], for models with segment embeddings
  at::Tensor frames = {};    // float [N, frame_width], instead of ids

  Tokens to(const Where& where) const;
};

/// What a model reads. An encoder reads `source`, a decoder `target`, an encoder-decoder both; the target ids are the
/// decoder's input, already shifted.
struct Batch {
  Tokens source;
  Tokens target;

  /// The same there: batches are packed on the CPU and brought to the model as a whole. No copy if they are there.
  Batch to(const Where& where) const;
};

}  // namespace plumb
