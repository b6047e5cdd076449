#include "plumb/ops/tangent/weighted_sum.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/weighted_sum.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {

at::Tensor weighted_sum_with_tangent(const std::vector<at::Tensor>& parts, const at::Tensor& weights) {
  const at::Tensor out = weighted_sum_fused(parts, weights);
  std::vector<at::Tensor> moving;
  for (const at::Tensor& part : parts) moving.push_back(full_tangent_of(part));
  at::Tensor tangent = weighted_sum_fused(moving, weights);
  if (const at::Tensor shift = tangent_of(weights); shift.defined())
    tangent = tangent + weighted_sum_fused(parts, shift);
  set_tangent(out, tangent);
  return out;
}

}  // namespace plumb::ops
