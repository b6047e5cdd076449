#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/catalogue/terms.h"
#include "plumb/memory/where.h"

namespace plumb::ops {

/// Row p is the encoding of the p-th token of a sentence (from 0): the sines of all frequencies, then their cosines.
///
///     fairseq  sin((p + 2) w_i), w_i = 10000^(-i / (D/2 - 1))     the first token stands at padding_idx + 1 = 2
///     marian   sin(p w_i),       w_i = 10000^(-2i / D)
at::Tensor sinusoids(Positions convention, int64_t rows, int64_t width, const Where& where);

/// The first token's row in a learned table: fairseq and OPT keep two rows for bos and pad.
constexpr int64_t kLearnedOffset = 2;

}  // namespace plumb::ops
