#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/ops/packed.h"

namespace plumb {

/// What one stack reads, packed: token ids or, where a model reads speech, frames; and where each sequence begins.
struct Tokens {
  at::Tensor ids;  // int64 [N]
  ops::Packed rows;
  at::Tensor segments = {};  // int64 [N], for models with segment embeddings
  at::Tensor frames = {};    // float [N, frame_width], instead of ids
};

/// What a model reads. An encoder reads `source`, a decoder `target`, an encoder-decoder both; the target ids are the
/// decoder's input, already shifted.
struct Batch {
  Tokens source;
  Tokens target;
};

}  // namespace plumb
