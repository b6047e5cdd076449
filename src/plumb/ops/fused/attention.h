#pragma once

#include "plumb/ops/attention.h"

namespace plumb::ops {

/// attention() by the kernels, one head of one sequence after the other. It keeps the sums of the softmax, one number
/// for each query and head; the weights are made again in the backward pass.
at::Tensor attention_fused(const Columns& q, const Columns& k, const Columns& v, const AttentionTerms& terms);

}  // namespace plumb::ops
