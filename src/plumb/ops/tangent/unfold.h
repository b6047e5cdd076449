#pragma once

#include "plumb/ops/unfold.h"

namespace plumb::ops {

/// The rows of unfold() of an x that may have a tangent; it is linear.
at::Tensor unfold_with_tangent(const at::Tensor& x, const Windows& windows);

}  // namespace plumb::ops
