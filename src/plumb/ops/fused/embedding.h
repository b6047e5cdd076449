#pragma once

#include "plumb/ops/embedding.h"

namespace plumb::ops {

/// embedding() by one kernel. Backward, each row of the table collects the gradients of its tokens in their order, so
/// that the sum does not depend on the number of threads.
at::Tensor embedding_fused(const EmbeddingTerms& terms);

}  // namespace plumb::ops
