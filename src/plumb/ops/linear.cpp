#include "plumb/ops/linear.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/linear.h"
#include "plumb/ops/path.h"
#include "plumb/ops/tangent.h"
#include "plumb/ops/tangent/linear.h"

namespace plumb::ops {
namespace {

at::Tensor reference(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (takes_tangent_path(x)) return linear_with_tangent(x, weight, bias);
  if (takes_fused_path(x)) return linear_fused(x, weight, bias, /*with_skip=*/false).y;
  return reference(x, weight, bias);
}

LinearAndSkip linear_and_skip(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!carries_tangents() && takes_fused_path(x)) return linear_fused(x, weight, bias, /*with_skip=*/true);
  return {linear(x, weight, bias), x};
}

}  // namespace plumb::ops
