#include "plumb/ops/activation.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/activation.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent/activation.h"

namespace plumb::ops {

at::Tensor activate(Activation activation, const at::Tensor& x) {
  return activation == Activation::Relu ? at::relu(x) : at::gelu(x);
}

at::Tensor bias_activation(Activation activation, const at::Tensor& in, const at::Tensor& bias, const Packed& rows,
                           const Dropout& dropout) {
  if (takes_tangent_path(in) && activation == Activation::Relu) return relu_with_tangent(in, bias, rows, dropout);
  if (takes_fused_path(in)) return bias_activation_fused(activation, in, bias, rows, dropout);
  return ops::dropout(activate(activation, bias.defined() ? in + bias : in), rows, dropout);
}

}  // namespace plumb::ops
