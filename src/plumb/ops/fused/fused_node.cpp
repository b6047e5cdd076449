#include "plumb/ops/fused/fused_node.h"

#include <ATen/ATen.h>

#include "plumb/ops/path.h"

namespace plumb::ops {

variable_list FusedNode::apply(variable_list&& outputs) {
  refuse_second_derivative(name().c_str());
  return backward(outputs);
}

at::Tensor detached(const at::Tensor& output) {
  return output.detach();
}

namespace {

bool has_own_gradient(const at::Tensor& parameter) {
  return parameter.is_leaf() && parameter.grad().defined() && parameter.grad().is_contiguous();
}

}  // namespace

ParameterGradient::ParameterGradient(const at::Tensor& parameter, bool wanted) {
  if (!wanted || !parameter.defined() || !parameter.requires_grad()) return;
  in_leaf_ = has_own_gradient(parameter);
  sum_ = in_leaf_ ? parameter.grad() : at::zeros_like(parameter, at::MemoryFormat::Contiguous);
}

at::Tensor given_to(const at::Tensor& parameter, const at::Tensor& gradient, double factor) {
  if (!gradient.defined()) return {};
  if (!has_own_gradient(parameter)) return factor == 1 ? gradient : gradient.mul_(factor);
  parameter.grad().add_(gradient, factor);
  return {};
}

at::Tensor contiguous_or_nothing(const at::Tensor& x) {
  return x.defined() ? x.contiguous() : x;
}

const float* data_or_null(const at::Tensor& x) {
  return x.defined() ? x.data_ptr<float>() : nullptr;
}

}  // namespace plumb::ops
