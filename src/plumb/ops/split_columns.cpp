#include "plumb/ops/split_columns.h"

#include <ATen/ATen.h>

#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/path.h"

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

std::vector<at::Tensor> cut(const at::Tensor& x, int64_t parts) {
  std::vector<at::Tensor> views = x.chunk(parts, /*dim=*/1);
  for (at::Tensor& one : views) one = one.contiguous();
  return views;
}

}  // namespace

std::vector<at::Tensor> split_columns(const at::Tensor& x, int64_t parts) {
  if (!takes_fused_path(x) || !wants_gradient(x)) return cut(x, parts);
  std::vector<at::Tensor> result = cut(x.detach(), parts);
  const auto node = make_node<SplitColumnsBackward>(x);
  node->options = x.options();
  node->shape = {x.size(0), x.size(1) / parts};
  for (at::Tensor& one : result) torch::autograd::set_history(one, node);
  return result;
}

}  // namespace plumb::ops
