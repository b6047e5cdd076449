#pragma once

#include <cstdint>

#include "plumb/memory/where.h"
#include "plumb/ops/dropout.h"
#include "plumb/residual/taps.h"

namespace plumb {

class AdminProfile;

/// The kinds of dropout of one sub-layer, of the embedding and of the head.
enum class DropoutKind : uint64_t { Branch, Attention, Activation, Embedding, Output };

/// One run through the model: whether dropout is on and from which numbers, who watches, who profiles,
/// and where it computes.
struct Pass {
  bool training = false;
  uint64_t seed = 0;
  uint64_t step = 0;
  Observer* observer = nullptr;
  AdminProfile* profile = nullptr;
  /// Layers are computed again in the backward pass. Not while somebody watches or tensors carry tangents.
  bool recompute = false;
  /// Where it computes: that of the parameters and of the batch.
  Where where = {};

  /// The dropout of one site in this pass; nothing is dropped outside training.
  ops::Dropout dropout(double p, DropoutKind kind, Stack stack, Sublayer sublayer, int layer) const {
    const uint64_t site = (static_cast<uint64_t>(layer) << 8) | (static_cast<uint64_t>(kind) << 4) |
                          (static_cast<uint64_t>(sublayer) << 1) | static_cast<uint64_t>(stack);
    return {training ? p : 0, seed, step, site};
  }
};

}  // namespace plumb
