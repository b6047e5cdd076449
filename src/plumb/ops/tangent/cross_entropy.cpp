#include "plumb/ops/tangent/cross_entropy.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/cross_entropy.h"
#include "plumb/ops/fused/cross_entropy.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/indices.h"
#include "plumb/ops/fused/linear_products.h"
#include "plumb/ops/fused/parallel.h"
#include "plumb/ops/tangent.h"

namespace plumb::ops {
namespace {

/// Features f and words W with their tangents f' and W'. With l = f W^T and l' = f' W^T + f W'^T, and the slopes a of l
/// and b of l' as the kernel makes them:
///
///     df = a W + b W',   df' = b W,   dW = a^T f + b^T f'
struct Inputs {
  at::Tensor features, dot_features, weight, dot_weight;
};

struct TangentGradients {
  at::Tensor features, dot_features, weight;
};

struct Chunk {
  Inputs in;  // rows of the features
  at::Tensor logits, dot_logits;

  void project() const {
    const Product first[] = {forward_product(in.features, in.weight, logits, 0),
                             forward_product(in.dot_features, in.weight, dot_logits, 0)};
    multiply(first);
    const Product second = forward_product(in.features, in.dot_weight, dot_logits, 1);
    multiply({&second, 1});
  }

  /// `of_rows`: the gradients of these rows, and of all words.
  void back(const TangentGradients& of_rows) const {
    float* dw = of_rows.weight.data_ptr<float>();
    const Product first[] = {input_product(dot_logits, in.weight, of_rows.features, 0),
                             input_product(logits, in.weight, of_rows.dot_features, 0),
                             weight_product(dot_logits, in.features, dw)};
    multiply(first);
    const Product second[] = {input_product(logits, in.dot_weight, of_rows.features, 1),
                              weight_product(logits, in.dot_features, dw)};
    multiply(second);
  }
};

/// Its outputs are the sum and its tangent; its edges the features, their tangent and the words.
struct ProjectedCrossEntropyTangentBackward : FusedNode {
  TangentGradients gradients;
  at::Tensor weight;

  variable_list backward(const variable_list& outputs) override {
    const PartScope scope(StepPart::Loss);
    TORCH_CHECK(!outputs[0].defined(), "while tensors carry tangents, only the tangent of the loss has a gradient");
    if (!outputs[1].defined()) return {at::Tensor(), at::Tensor(), at::Tensor()};
    const double slope = outputs[1].item<double>();
    if (slope != 1) gradients.features.mul_(slope), gradients.dot_features.mul_(slope);
    return {gradients.features, gradients.dot_features, given_to(weight, gradients.weight, slope)};
  }

  void release_variables() override { gradients = {}, weight.reset(); }
};

double total(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace

CrossEntropy projected_cross_entropies_with_tangent(const at::Tensor& features, const at::Tensor& weight,
                                                    const at::Tensor& targets, double eps, SmoothingOver over) {
  const PartScope scope(StepPart::Loss);
  check_indices(targets, weight.size(0), "target");
  const Inputs in{features.contiguous(), full_tangent_of(features).contiguous(), weight,
                  full_tangent_of(weight).contiguous()};
  const TangentGradients gradients{at::empty_like(in.features), at::empty_like(in.features),
                                   at::zeros_like(in.dot_weight)};
  const bool learns = wants_gradient(in.features, in.dot_features, weight);
  const int64_t rows = features.size(0), words = weight.size(0);
  std::vector<double> smoothed(static_cast<size_t>(rows)), nll(smoothed), dot_smoothed(smoothed);
  const RowChunks chunks{rows, logits_chunk_rows(words)};
  const at::Tensor logits = at::empty({2, std::min(rows, chunks.length), words}, in.dot_weight.options());
  const at::NoGradGuard views_only;
  const PanelScope packed_once;
  for (int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
    const int64_t begin = chunks.begin(chunk), count = chunks.end(chunk) - begin;
    const auto part = [&](const at::Tensor& x) { return x._fw_primal(0).narrow(0, begin, count); };
    const Chunk own{{part(in.features), part(in.dot_features), in.weight, in.dot_weight},
                    logits[0].narrow(0, 0, count),
                    logits[1].narrow(0, 0, count)};
    own.project();
    const kernel::CrossEntropyTerms terms{.words = words,
                                          .targets = targets.data_ptr<int64_t>() + begin,
                                          .eps = eps,
                                          .over = over,
                                          .smoothed = smoothed.data() + begin,
                                          .nll = nll.data() + begin};
    for_each_chunk({count, 16}, [&](int64_t first, int64_t last) {
      kernel::cross_entropy_tangent(terms, own.logits.data_ptr<float>(), own.dot_logits.data_ptr<float>(),
                                    dot_smoothed.data() + begin, first, last);
    });
    own.back({part(gradients.features), part(gradients.dot_features), gradients.weight});
  }
  const at::TensorOptions scalar = at::TensorOptions().dtype(at::kDouble);
  CrossEntropy result{at::scalar_tensor(total(smoothed), scalar), at::scalar_tensor(total(nll), scalar)};
  at::Tensor tangent = at::scalar_tensor(total(dot_smoothed), scalar);
  if (learns) {
    const auto node = make_node<ProjectedCrossEntropyTangentBackward>(in.features, in.dot_features, weight);
    node->gradients = gradients;
    node->weight = weight;
    torch::autograd::set_history(result.smoothed, node);
    torch::autograd::set_history(tangent, node);
  }
  set_tangent(result.smoothed, tangent);
  return result;
}

}  // namespace plumb::ops
