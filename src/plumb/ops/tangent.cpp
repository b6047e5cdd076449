#include "plumb/ops/tangent.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/forward_grad.h>

namespace plumb::ops {
namespace {

using torch::autograd::ForwardADLevel;

constexpr uint64_t kLevel = 0;  // LibTorch has no other
thread_local bool open = false;

}  // namespace

TangentScope::TangentScope() : level_(ForwardADLevel::get_next_idx()) {
  open = true;
}

TangentScope::~TangentScope() {
  open = false;
  ForwardADLevel::release_idx(level_);
}

bool carries_tangents() {
  return open;
}

at::Tensor tangent_of(const at::Tensor& x) {
  return x.defined() ? x._fw_grad(kLevel) : at::Tensor();
}

at::Tensor full_tangent_of(const at::Tensor& x) {
  const at::Tensor tangent = tangent_of(x);
  return tangent.defined() ? tangent : at::zeros_like(x);
}

void set_tangent(const at::Tensor& y, const at::Tensor& tangent) {
  if (tangent.defined()) y._set_fw_grad(tangent, kLevel, /*is_inplace_op=*/false);
}

}  // namespace plumb::ops
