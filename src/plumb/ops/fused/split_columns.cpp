#include "plumb/ops/fused/split_columns.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/fused_node.h"

namespace plumb::ops {
namespace {

struct SplitColumnsBackward : FusedNode {
  at::TensorOptions options;
  std::vector<int64_t> shape;  // of a part

  variable_list backward(const variable_list& outputs) override {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& one : outputs) parts.push_back(one.defined() ? one : at::zeros(shape, options));
    return {at::cat(parts, /*dim=*/1)};
  }
};

}  // namespace

std::vector<at::Tensor> split_columns_fused(const at::Tensor& x, int64_t parts) {
  std::vector<at::Tensor> result = x.detach().chunk(parts, /*dim=*/1);
  for (at::Tensor& one : result) one = one.contiguous();
  if (!wants_gradient(x)) return result;
  const auto node = make_node<SplitColumnsBackward>(x);
  node->options = x.options();
  node->shape = {x.size(0), x.size(1) / parts};
  for (at::Tensor& one : result) torch::autograd::set_history(one, node);
  return result;
}

}  // namespace plumb::ops
