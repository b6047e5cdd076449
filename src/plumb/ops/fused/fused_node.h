#pragma once

#include <memory>
#include <utility>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

namespace plumb::ops {

using torch::autograd::variable_list;

/// The backward pass of a fused op. It gets its tensors as they are, so it may keep inputs but of its own outputs only
/// what detached() gives: an output that holds its maker would never be freed.
class FusedNode : public torch::autograd::Node {
 public:
  /// One gradient for each edge, undefined where none is wanted. Those of the outputs come in; some may be undefined.
  virtual variable_list backward(const variable_list& outputs) = 0;

  variable_list apply(variable_list&& outputs) final;
};

/// Whether somebody will ask for the gradient of one of these. Undefined tensors do not count.
template <class... Tensors>
bool wants_gradient(const Tensors&... inputs) {
  return torch::autograd::compute_requires_grad(inputs...);
}

/// A node with one edge for each input, in this order. Give it what it keeps, then hand it to LibTorch's set_history()
/// with each of its outputs.
template <class NodeType, class... Tensors>
std::shared_ptr<NodeType> make_node(const Tensors&... inputs) {
  std::shared_ptr<NodeType> node(new NodeType, torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(inputs...));
  return node;
}

/// What a node may keep of its own output.
at::Tensor detached(const at::Tensor& output);

/// The gradient of a parameter while a node adds to it: the buffer of the leaf itself if it has one, so that nothing is
/// copied and autograd learns nothing of it; else new zeros, which autograd gets.
class ParameterGradient {
 public:
  /// Undefined, or not `wanted`: there is nothing to add to.
  ParameterGradient(const at::Tensor& parameter, bool wanted);

  explicit operator bool() const { return sum_.defined(); }
  float* data() const { return sum_.data_ptr<float>(); }
  at::Tensor for_autograd() const { return in_leaf_ ? at::Tensor() : sum_; }

 private:
  bool in_leaf_ = false;
  at::Tensor sum_;
};

/// factor * gradient, for a parameter whose gradient was made in a buffer of its own, which may be overwritten: added
/// to the leaf if that has a gradient, then undefined; else for autograd. Undefined stays undefined.
at::Tensor given_to(const at::Tensor& parameter, const at::Tensor& gradient, double factor);

/// Undefined stays undefined.
at::Tensor contiguous_or_nothing(const at::Tensor& x);

/// The data of a float tensor, or null if it is undefined. The tensor must be contiguous.
const float* data_or_null(const at::Tensor& x);

}  // namespace plumb::ops
