#include "plumb/ops/tangent/activation.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/activation.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {

at::Tensor relu_with_tangent(const at::Tensor& in, const at::Tensor& bias, const Packed& rows, const Dropout& dropout) {
  const at::Tensor h = bias_activation_fused(Activation::Relu, in, bias, rows, dropout);
  at::Tensor tangent = full_tangent_of(in);
  if (const at::Tensor shift = tangent_of(bias); shift.defined()) tangent = tangent + shift;
  if (dropout.active()) tangent = tangent / (1 - dropout.p);
  set_tangent(h, at::threshold_backward(tangent, h.detach(), 0));
  return h;
}

}  // namespace plumb::ops
