#pragma once

#include "plumb/ops/attention.h"

namespace plumb::ops {

/// attention() of matrices that may have tangents, by the kernels.
at::Tensor attention_with_tangent(const Columns& q, const Columns& k, const Columns& v, const AttentionTerms& terms);

}  // namespace plumb::ops
