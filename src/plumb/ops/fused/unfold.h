#pragma once

#include "plumb/ops/unfold.h"

namespace plumb::ops {

/// The rows of unfold() by one kernel that gathers rows; backward, each row of x gathers what came of it, instead of
/// the windows adding to rows that they share.
at::Tensor unfold_fused(const at::Tensor& x, const Windows& windows);

}  // namespace plumb::ops
