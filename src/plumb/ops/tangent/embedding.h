#pragma once

#include "plumb/ops/embedding.h"

namespace plumb::ops {

/// embedding() of a table and positions that may have tangents; it is linear in both.
at::Tensor embedding_with_tangent(const EmbeddingTerms& terms);

}  // namespace plumb::ops
