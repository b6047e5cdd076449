#include "plumb/ops/fused/norm.h"

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/ops/fused/norm_gradients.h"

namespace plumb::ops {
namespace {

/// Its outputs are x itself, for the skip, and the norm of x; either may be unused.
struct NormBackward : FusedNode {
  NormKind kind{};
  double eps = 0;
  at::Tensor x, mean, rstd;
  NormWeights weights;

  variable_list backward(const variable_list& outputs) override {
    const PartScope scope(StepPart::Residual);
    const at::Tensor& skip = outputs[0];
    if (!outputs[1].defined()) return {skip, {}, {}, {}};
    const int64_t width = x.size(-1), rows = x.numel() / width;
    const at::Tensor dy = outputs[1].contiguous();
    const at::Tensor extra = skip.defined() ? skip.contiguous() : skip;
    at::Tensor dx = at::empty_like(x);
    const NormWeightGradients gradients(
        weights, 0, {task_should_compute_output(1), task_should_compute_output(2), task_should_compute_output(3)});
    const RowChunks chunks = row_chunks(rows, width);
    const ChunkSums sums(chunks, gradients.width());
    kernel::NormBackward call{.norm = norm_terms(kind, weights, eps),
                              .width = width,
                              .saved = x.data_ptr<float>(),
                              .stats = {mean.data_ptr<float>(), rstd.data_ptr<float>()},
                              .dy = dy.data_ptr<float>(),
                              .extra = data_or_null(extra),
                              .dx = dx.data_ptr<float>()};
    for_each_piece(chunks.count(), [&, call](int64_t chunk) {
      kernel::NormBackward own = call;
      own.gradients = gradients.of_chunk(sums.of_chunk(chunk));
      kernel::norm_backward(own, chunks.begin(chunk), chunks.end(chunk));
    });
    gradients.add(sums);
    return {dx, gradients.weight(), gradients.bias(), gradients.alpha()};
  }

  void release_variables() override { x.reset(), mean.reset(), rstd.reset(), weights = {}; }
};

}  // namespace

kernel::NormTerms norm_terms(NormKind kind, const NormWeights& weights, double eps) {
  return {.kind = kind,
          .eps = static_cast<float>(eps),
          .weight = data_or_null(weights.weight),
          .bias = data_or_null(weights.bias),
          .alpha = data_or_null(weights.alpha)};
}

SkipAndNorm norm_fused(NormKind kind, const at::Tensor& input, const NormWeights& weights, double eps, bool with_skip) {
  const PartScope scope(StepPart::Residual);
  const at::Tensor x = input.contiguous();
  const int64_t width = x.size(-1), rows = x.numel() / width;
  at::Tensor y = at::empty_like(x);
  const at::Tensor mean = at::empty({rows}, x.options()), rstd = at::empty({rows}, x.options());
  const kernel::NormForward call{.norm = norm_terms(kind, weights, eps),
                                 .width = width,
                                 .x = x.data_ptr<float>(),
                                 .y = y.data_ptr<float>(),
                                 .stats = {mean.data_ptr<float>(), rstd.data_ptr<float>()}};
  for_each_chunk(row_chunks(rows, width), [&](int64_t begin, int64_t end) { kernel::norm_forward(call, begin, end); });
  if (!wants_gradient(x, weights.weight, weights.bias, weights.alpha)) return {x, y};
  const auto node = make_node<NormBackward>(x, weights.weight, weights.bias, weights.alpha);
  node->kind = kind;
  node->eps = eps;
  node->x = x;
  node->mean = mean;
  node->rstd = rstd;
  node->weights = weights;
  at::Tensor skip = x;
  if (with_skip) {
    skip = x.detach();
    torch::autograd::set_history(skip, node);
  } else {
    node->add_input_metadata(torch::autograd::Node::undefined_input());
  }
  torch::autograd::set_history(y, node);
  return {skip, y};
}

}  // namespace plumb::ops
