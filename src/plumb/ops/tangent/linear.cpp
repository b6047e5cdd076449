#include "plumb/ops/tangent/linear.h"

#include <vector>

#include <ATen/ATen.h>

#include "plumb/ops/fused/column_sums.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/linear_products.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

/// Products that add to one result must not run at the same time: those of `later` wait for those of `first`.
struct TwoRounds {
  std::vector<Product> first, later;

  void run() const {
    const PanelScope packed_once;  // value and tangent meet the same weights
    multiply(first);
    multiply(later);
  }
};

/// Its outputs are y and y'; its edges x, x', W and the bias.
struct LinearTangentBackward : FusedNode {
  at::Tensor x, dot_x, weight, dot_weight, bias;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dy = contiguous_or_nothing(outputs[0]), dy_dot = contiguous_or_nothing(outputs[1]);
    at::Tensor dx, dx_dot;
    const ParameterGradient dw(weight, task_should_compute_output(2)), db(bias, task_should_compute_output(3));
    TwoRounds products;
    if (task_should_compute_output(0)) {
      const bool from_dot = dy_dot.defined() && dot_weight.defined();
      if (dy.defined() || from_dot) dx = at::empty_like(x);
      if (dy.defined()) products.first.push_back(input_product(dy, weight, dx, 0));
      if (from_dot) products.later.push_back(input_product(dy_dot, dot_weight, dx, dy.defined() ? 1.0F : 0.0F));
    }
    if (task_should_compute_output(1) && dy_dot.defined()) {
      dx_dot = at::empty_like(x);
      products.first.push_back(input_product(dy_dot, weight, dx_dot, 0));
    }
    if (dw && dy.defined()) products.first.push_back(weight_product(dy, x, dw.data()));
    if (dw && dy_dot.defined() && dot_x.defined()) products.later.push_back(weight_product(dy_dot, dot_x, dw.data()));
    products.run();
    if (db && dy.defined()) add_column_sums(dy.data_ptr<float>(), dy.size(0), dy.size(1), db.data());
    return {dx, dx_dot, dw.for_autograd(), db.for_autograd()};
  }

  void release_variables() override { x.reset(), dot_x.reset(), weight.reset(), dot_weight.reset(), bias.reset(); }
};

}  // namespace

at::Tensor linear_with_tangent(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor x = input.contiguous(), dot_x = contiguous_or_nothing(tangent_of(x)),
                   dot_weight = contiguous_or_nothing(tangent_of(weight)), dot_bias = tangent_of(bias);
  const bool moves = dot_x.defined() || dot_weight.defined() || dot_bias.defined();
  const int64_t width = weight.size(0);
  TwoRounds products;
  at::Tensor y = rows_of_bias(x, width, bias);
  products.first.push_back(forward_product(x, weight, y, bias.defined() ? 1.0F : 0.0F));
  at::Tensor dot_y;
  if (moves) {
    dot_y = rows_of_bias(x, width, dot_bias);
    bool begun = dot_bias.defined();
    const auto add = [&](std::vector<Product>& round, const at::Tensor& rows, const at::Tensor& by) {
      if (!rows.defined() || !by.defined()) return;
      round.push_back(forward_product(rows, by, dot_y, begun ? 1.0F : 0.0F));
      begun = true;
    };
    add(products.first, dot_x, weight);
    add(products.later, x, dot_weight);
  }
  products.run();
  if (wants_gradient(x, dot_x, weight, bias)) {
    const auto node = make_node<LinearTangentBackward>(x, dot_x, weight, bias);
    node->x = x;
    node->dot_x = dot_x;
    node->weight = weight;
    node->dot_weight = dot_weight;
    node->bias = bias;
    torch::autograd::set_history(y, node);
    torch::autograd::set_history(dot_y, node);
  }
  set_tangent(y, dot_y);
  return y;
}

}  // namespace plumb::ops
