#include "plumb/ops/glu.h"

#include <vector>

#include <ATen/ATen.h>

#include "plumb/ops/fused/glu.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

// Written out: of products and of the sigmoid LibTorch has the tangents, and the gradients of those.
at::Tensor reference(const at::Tensor& in, const at::Tensor& bias) {
  const std::vector<at::Tensor> halves = (bias.defined() ? in + bias : in).chunk(2, /*dim=*/1);
  // LibTorch rounds the sigmoid of a strided half otherwise than that of a packed one, which other devices have.
  return halves[0] * at::sigmoid(halves[1].contiguous());
}

}  // namespace

at::Tensor glu(const at::Tensor& in, const at::Tensor& bias) {
  TORCH_CHECK(in.size(1) % 2 == 0, "a gated linear unit needs an even width, not ", in.size(1));
  return takes_fused_path(in) ? glu_fused(in, bias) : reference(in, bias);
}

}  // namespace plumb::ops
