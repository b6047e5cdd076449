#include "plumb/ops/linear.h"

#include <vector>

#include <ATen/ATen.h>

#include "plumb/ops/column_sums.h"
#include "plumb/ops/fused_node.h"
#include "plumb/ops/linear_products.h"
#include "plumb/ops/linear_tangent.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

at::Tensor forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  at::Tensor y = rows_of_bias(x, weight.size(0), bias);
  const Product product = forward_product(x, weight, y, bias.defined() ? 1.0F : 0.0F);
  multiply({&product, 1});
  return y;
}

struct LinearBackward : FusedNode {
  at::Tensor x, weight, bias;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dy = outputs[0].contiguous();
    at::Tensor dx;
    const ParameterGradient dw(weight, task_should_compute_output(1)), db(bias, task_should_compute_output(2));
    std::vector<Product> products;
    if (dw) products.push_back(weight_product(dy, x, dw.data()));
    if (task_should_compute_output(0)) {
      dx = at::empty_like(x);
      products.push_back(input_product(dy, weight, dx, 0));
    }
    multiply(products);
    if (db) add_column_sums(dy.data_ptr<float>(), dy.size(0), dy.size(1), db.data());
    return {dx, dw.for_autograd(), db.for_autograd()};
  }

  void release_variables() override { x.reset(), weight.reset(), bias.reset(); }
};

at::Tensor linear_fused(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor rows = x.contiguous();
  at::Tensor y = forward(rows, weight, bias);
  if (wants_gradient(rows, weight, bias)) {
    const auto node = make_node<LinearBackward>(rows, weight, bias);
    node->x = rows;
    node->weight = weight;
    node->bias = bias;
    torch::autograd::set_history(y, node);
  }
  return y;
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (takes_tangent_path(x)) return linear_with_tangent(x, weight, bias);
  if (takes_fused_path(x)) return linear_fused(x, weight, bias);
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

}  // namespace plumb::ops
