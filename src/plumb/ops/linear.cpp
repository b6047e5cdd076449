#include "plumb/ops/linear.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "plumb/ops/column_sums.h"
#include "plumb/ops/fused_node.h"
#include "plumb/ops/gemm.h"
#include "plumb/ops/parallel.h"
#include "plumb/ops/path.h"

namespace plumb::ops {
namespace {

at::Tensor forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const int64_t rows = x.size(0), in = weight.size(1), out = weight.size(0);
  at::Tensor y = at::empty({rows, out}, x.options());
  auto* to = y.data_ptr<float>();
  if (bias.defined()) {
    const float* from = bias.data_ptr<float>();
    for_each_chunk(row_chunks(rows, out), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) std::copy_n(from, out, to + row * out);
    });
  }
  const Product product{.m = rows,
                        .n = out,
                        .k = in,
                        .a = {x.data_ptr<float>(), in},
                        .b = {weight.data_ptr<float>(), in, /*transposed=*/true},
                        .beta = bias.defined() ? 1.0F : 0.0F,
                        .c = to,
                        .c_stride = out};
  multiply({&product, 1});
  return y;
}

struct LinearBackward : FusedNode {
  at::Tensor x, weight, bias;

  variable_list backward(const variable_list& outputs) override {
    const at::Tensor dy = outputs[0].contiguous();
    const int64_t rows = x.size(0), in = weight.size(1), out = weight.size(0);
    const float* slope = dy.data_ptr<float>();
    at::Tensor dx;
    const ParameterGradient dw(weight, task_should_compute_output(1)), db(bias, task_should_compute_output(2));
    std::vector<Product> products;
    if (dw) {
      products.push_back({.m = out,
                          .n = in,
                          .k = rows,
                          .a = {slope, out, /*transposed=*/true},
                          .b = {x.data_ptr<float>(), in},
                          .beta = 1,
                          .c = dw.data(),
                          .c_stride = in});
    }
    if (task_should_compute_output(0)) {
      dx = at::empty_like(x);
      products.push_back({.m = rows,
                          .n = in,
                          .k = out,
                          .a = {slope, out},
                          .b = {weight.data_ptr<float>(), in},
                          .beta = 0,
                          .c = dx.data_ptr<float>(),
                          .c_stride = in});
    }
    multiply(products);
    if (db) add_column_sums(slope, rows, out, db.data());
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
  if (takes_fused_path(x)) return linear_fused(x, weight, bias);
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

}  // namespace plumb::ops
