#include "plumb/ops/tangent/unfold.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/unfold.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {

at::Tensor unfold_with_tangent(const at::Tensor& x, const Windows& windows) {
  const at::Tensor out = unfold_fused(x, windows);
  if (const at::Tensor tangent = tangent_of(x); tangent.defined()) set_tangent(out, unfold_fused(tangent, windows));
  return out;
}

}  // namespace plumb::ops
