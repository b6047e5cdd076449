#include "plumb/nn/recompute.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/ops/fused/fused_node.h"

namespace plumb {
namespace {

at::Tensor as_leaf(const at::Tensor& x) {
  return x.defined() ? x.detach().requires_grad_() : x;
}

at::Tensor gradient_of(const at::Tensor& leaf) {
  return leaf.defined() ? leaf.grad() : leaf;
}

struct RecomputedBackward : ops::FusedNode {
  LayerFunction f;
  at::Tensor x, memory;

  torch::autograd::variable_list backward(const torch::autograd::variable_list& outputs) override {
    const at::Tensor own_x = as_leaf(x), own_memory = as_leaf(memory);
    at::Tensor y;
    {
      const at::AutoGradMode with_gradients(true);
      y = f(own_x, own_memory);
    }
    torch::autograd::backward({y}, {outputs[0]});  // the parameters get theirs here
    return {gradient_of(own_x), gradient_of(own_memory)};
  }

  void release_variables() override { f = {}, x.reset(), memory.reset(); }
};

}  // namespace

at::Tensor recomputed(const LayerFunction& f, const at::Tensor& x, const at::Tensor& memory) {
  at::Tensor y;
  {
    const at::NoGradGuard no_grad;
    y = f(x, memory);
  }
  // x may need no gradient, but the parameters do: an edge to nowhere still makes the node run.
  const auto node = ops::make_node<RecomputedBackward>(x, memory);
  node->f = f;
  node->x = x;
  node->memory = memory;
  torch::autograd::set_history(y, node);
  return y;
}

}  // namespace plumb
