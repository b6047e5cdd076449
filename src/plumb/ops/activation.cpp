#include "plumb/ops/activation.h"

#include <ATen/ATen.h>

namespace plumb::ops {

at::Tensor activate(Activation activation, const at::Tensor& x) {
  return activation == Activation::Relu ? at::relu(x) : at::gelu(x);
}

}  // namespace plumb::ops
