#include "plumb/ops/tangent/norm.h"

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/catalogue/norms.h"
#include "plumb/kernel/norm_tangent.h"
#include "plumb/ops/fused/norm_gradients.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

/// Its outputs are y and its tangent; its edges x, the tangent of x, and the weights.
struct NormTangentBackward : FusedNode {
  NormKind kind{};
  double eps = 0;
  at::Tensor x, dot_x, dot_weight;
  NormWeights weights;

  variable_list backward(const variable_list& outputs) override {
    const PartScope scope(StepPart::Residual);
    const int64_t width = x.size(-1), rows = x.numel() / width;
    const at::Tensor dy = contiguous_or_nothing(outputs[0]);
    const at::Tensor dy_dot = outputs[1].defined() ? outputs[1].contiguous() : at::zeros_like(x);
    at::Tensor dx = at::empty_like(x), dx_dot = at::empty_like(x);
    const NormWeightGradients gradients(weights, 0,
                                        {task_should_compute_output(2), task_should_compute_output(3), false});
    const RowChunks chunks = row_chunks(rows, width);
    const ChunkSums sums(chunks, gradients.width());
    const kernel::NormTangentBackward call{.terms = terms(width),
                                           .dy = data_or_null(dy),
                                           .dy_dot = dy_dot.data_ptr<float>(),
                                           .dx = dx.data_ptr<float>(),
                                           .dx_dot = dx_dot.data_ptr<float>()};
    for_each_piece(chunks.count(), [&](int64_t chunk) {
      kernel::NormTangentBackward own = call;
      own.gradients = gradients.of_chunk(sums.of_chunk(chunk));
      kernel::norm_tangent_backward(own, chunks.begin(chunk), chunks.end(chunk));
    });
    gradients.add(sums);
    return {dx, dx_dot, gradients.weight(), gradients.bias()};
  }

  kernel::NormTangentTerms terms(int64_t width) const {
    return {.norm = norm_terms(kind, weights, eps),
            .dot_weight = data_or_null(dot_weight),
            .width = width,
            .x = x.data_ptr<float>(),
            .dot_x = dot_x.data_ptr<float>()};
  }

  void release_variables() override { x.reset(), dot_x.reset(), dot_weight.reset(), weights = {}; }
};

}  // namespace

bool norm_has_tangent_kernel(NormKind kind) {
  return norm_row(kind).tangent_kernel;
}

at::Tensor norm_with_tangent(NormKind kind, const at::Tensor& input, const NormWeights& weights, double eps) {
  const PartScope scope(StepPart::Residual);
  const at::Tensor x = input.contiguous(), dot_x = full_tangent_of(x).contiguous();
  const int64_t width = x.size(-1), rows = x.numel() / width;
  const auto node = make_node<NormTangentBackward>(x, dot_x, weights.weight, weights.bias);
  node->kind = kind;
  node->eps = eps;
  node->x = x;
  node->dot_x = dot_x;
  node->dot_weight = tangent_of(weights.weight);
  node->weights = weights;
  const at::Tensor dot_bias = tangent_of(weights.bias);
  at::Tensor y = at::empty_like(x), dot_y = at::empty_like(x);
  kernel::NormTangentForward call{
      .terms = node->terms(width), .y = y.data_ptr<float>(), .dot_y = dot_y.data_ptr<float>()};
  call.terms.dot_bias = data_or_null(dot_bias);
  for_each_chunk(row_chunks(rows, width),
                 [&](int64_t begin, int64_t end) { kernel::norm_tangent_forward(call, begin, end); });
  if (wants_gradient(x, dot_x, weights.weight, weights.bias)) {
    torch::autograd::set_history(y, node);
    torch::autograd::set_history(dot_y, node);
  }
  set_tangent(y, dot_y);
  return y;
}

}  // namespace plumb::ops
