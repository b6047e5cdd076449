#pragma once

#include "plumb/ops/attention_history.h"

namespace plumb::ops {

/// attention_history() by the kernel, which reads keys and values where they were written.
at::Tensor attention_history_fused(const Columns& q, const History& history, const Ancestry& ancestry, int64_t heads,
                                   double scale);

}  // namespace plumb::ops
