#pragma once

#include "plumb/ops/top_words.h"

namespace plumb::ops {

/// projected_top_words() in chunks of rows, whose logits stay in the cache.
TopWords projected_top_words_fused(const at::Tensor& features, const at::Tensor& weight, int64_t count, int64_t chosen);

}  // namespace plumb::ops
