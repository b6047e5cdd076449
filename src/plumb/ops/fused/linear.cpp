#include "plumb/ops/fused/linear.h"

#include <vector>

#include <ATen/ATen.h>

#include "plumb/ops/fused/column_sums.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/linear_products.h"

namespace plumb::ops {
namespace {

at::Tensor forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  at::Tensor y = rows_of_bias(x, weight.size(0), bias);
  const Product product = forward_product(x, weight, y, bias.defined() ? 1.0F : 0.0F);
  multiply({&product, 1});
  return y;
}

/// A gradient to add to: the tensor itself if nobody else has it.
at::Tensor own(const at::Tensor& gradient) {
  const bool alone = gradient.is_contiguous() && gradient.use_count() == 1 && gradient.storage().use_count() == 1;
  return alone ? gradient : gradient.clone(at::MemoryFormat::Contiguous);
}

/// Its outputs are y and x itself, for the skip; either may be unused.
struct LinearBackward : FusedNode {
  at::Tensor x, weight, bias;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor& skip = outputs[1];
    if (!outputs[0].defined()) return {skip, {}, {}};
    const at::Tensor dy = outputs[0].contiguous();
    at::Tensor dx;
    const ParameterGradient dw(weight, task_should_compute_output(1)), db(bias, task_should_compute_output(2));
    std::vector<Product> products;
    if (dw) products.push_back(weight_product(dy, x, dw.data()));
    if (task_should_compute_output(0)) {
      dx = skip.defined() ? own(skip) : at::empty_like(x);
      products.push_back(input_product(dy, weight, dx, skip.defined() ? 1.0F : 0.0F));
    }
    multiply(products);
    if (db) add_column_sums(dy.data_ptr<float>(), dy.size(0), dy.size(1), db.data());
    return {dx, dw.for_autograd(), db.for_autograd()};
  }

  void release_variables() override { x.reset(), weight.reset(), bias.reset(); }
};

}  // namespace

LinearAndSkip linear_fused(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, bool with_skip) {
  const at::Tensor rows = x.contiguous();
  LinearAndSkip result{forward(rows, weight, bias), rows};
  if (!wants_gradient(rows, weight, bias)) return result;
  const auto node = make_node<LinearBackward>(rows, weight, bias);
  node->x = rows;
  node->weight = weight;
  node->bias = bias;
  torch::autograd::set_history(result.y, node);
  if (with_skip && rows.requires_grad()) {
    result.skip = rows.detach();
    torch::autograd::set_history(result.skip, node);
  } else {
    node->add_input_metadata(torch::autograd::Node::undefined_input());
  }
  return result;
}

}  // namespace plumb::ops
