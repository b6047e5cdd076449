#include "plumb/probe/hessian_vector.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "plumb/ops/path.h"
#include "plumb/ops/tangent.h"

namespace plumb::probe {
namespace {

using Loss = std::function<at::Tensor()>;

/// The part of v that belongs to a parameter.
at::Tensor part_of(const at::Tensor& v, const at::Tensor& leaf) {
  return v.as_strided(leaf.sizes(), leaf.strides(), leaf.storage_offset());
}

at::Tensor forward_slope(const ParameterStore& store, const at::Tensor& v, const Loss& loss) {
  for (const at::Tensor& leaf : store.leaves()) ops::set_tangent(leaf, part_of(v, leaf));
  return ops::tangent_of(loss());
}

at::Tensor backward_slope(const ParameterStore& store, const at::Tensor& v, const Loss& loss) {
  const std::vector<at::Tensor>& leaves = store.leaves();
  const std::vector<at::Tensor> gradients =
      torch::autograd::grad({loss()}, leaves, /*grad_outputs=*/{}, /*retain_graph=*/true, /*create_graph=*/true,
                            /*allow_unused=*/true);
  at::Tensor sum = at::zeros({}, v.options());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (gradients[i].defined()) sum = sum + (gradients[i] * part_of(v, leaves[i])).sum();
  }
  return sum;
}

}  // namespace

double add_hessian_vector(ParameterStore& store, const at::Tensor& v, const Loss& loss) {
  TORCH_CHECK(v.sizes() == store.values().sizes() && v.is_contiguous() && v.storage_offset() == 0 && !v.requires_grad(),
              "the vector must be laid out as the parameters are");
  at::Tensor slope;
  if (ops::current_path() == ops::Path::Fused) {
    const ops::TangentScope scope;
    slope = forward_slope(store, v, loss);
    TORCH_CHECK(slope.defined(), "the loss does not depend on the parameters");
    slope.backward();
  } else {
    slope = backward_slope(store, v, loss);
    slope.backward();
  }
  return slope.item<double>();
}

}  // namespace plumb::probe
