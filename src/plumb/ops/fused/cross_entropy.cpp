#include "plumb/ops/fused/cross_entropy.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>

#include "plumb/base/step_timer.h"
#include "plumb/kernel/cross_entropy.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/gemm.h"
#include "plumb/ops/fused/indices.h"
#include "plumb/ops/fused/parallel.h"

namespace plumb::ops {
namespace {

// The logits of a chunk, which should fit the last-level cache. Enough rows that packing the words' matrix for each
// chunk weighs little.
constexpr int64_t kChunkLogits = 1 << 22;
constexpr int64_t kLeastChunkRows = 64, kMostRows = 1024;

struct Sums {
  double smoothed = 0, nll = 0;
};

struct Gradients {
  at::Tensor features, weight;
};

/// The sums and, if wanted, the gradients of the smoothed one.
class Sweep {
 public:
  Sweep(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& targets, double eps, SmoothingOver over)
      : features_(features),
        weight_(weight),
        rows_(features.size(0)),
        width_(features.size(1)),
        words_(weight.size(0)),
        smoothed_(static_cast<size_t>(rows_)),
        nll_(static_cast<size_t>(rows_)) {
    terms_ = {.words = words_,
              .targets = targets.data_ptr<int64_t>(),
              .eps = eps,
              .over = over,
              .smoothed = smoothed_.data(),
              .nll = nll_.data()};
  }

  Sums run(Gradients* gradients) {
    const RowChunks chunks{rows_, logits_chunk_rows(words_)};
    const PanelScope packed_once;
    at::Tensor logits = at::empty({std::min(rows_, chunks.length), words_}, features_.options());
    for (int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
      const int64_t begin = chunks.begin(chunk), end = chunks.end(chunk);
      project(begin, end, logits.data_ptr<float>());
      losses(begin, end, logits.data_ptr<float>(), gradients != nullptr);
      if (gradients) back(begin, end, logits.data_ptr<float>(), *gradients);
    }
    Sums sums;
    for (size_t row = 0; row < smoothed_.size(); ++row) {
      sums.smoothed += smoothed_[row];
      sums.nll += nll_[row];
    }
    return sums;
  }

 private:
  const float* row(int64_t i) const { return features_.data_ptr<float>() + i * width_; }

  void project(int64_t begin, int64_t end, float* logits) const {
    const Product product{.m = end - begin,
                          .n = words_,
                          .k = width_,
                          .a = {row(begin), width_},
                          .b = {weight_.data_ptr<float>(), width_, /*transposed=*/true, /*lasting=*/true},
                          .beta = 0,
                          .c = logits,
                          .c_stride = words_};
    multiply({&product, 1});
  }

  void losses(int64_t begin, int64_t end, float* logits, bool with_gradient) const {
    // The kernel counts rows from the beginning of what it is given.
    kernel::CrossEntropyTerms own = terms_;
    own.targets += begin;
    own.smoothed += begin;
    own.nll += begin;
    for_each_chunk({end - begin, 16}, [&](int64_t first, int64_t last) {
      if (with_gradient) {
        kernel::cross_entropy_gradient(own, logits, /*scale=*/1, first, last);
      } else {
        kernel::cross_entropy_losses(own, logits, first, last);
      }
    });
  }

  void back(int64_t begin, int64_t end, const float* slopes, const Gradients& gradients) const {
    std::vector<Product> products;
    if (gradients.weight.defined()) {
      products.push_back({.m = words_,
                          .n = width_,
                          .k = end - begin,
                          .a = {slopes, words_, /*transposed=*/true},
                          .b = {row(begin), width_},
                          .beta = begin == 0 ? 0.0F : 1.0F,
                          .c = gradients.weight.data_ptr<float>(),
                          .c_stride = width_});
    }
    if (gradients.features.defined()) {
      products.push_back({.m = end - begin,
                          .n = width_,
                          .k = words_,
                          .a = {slopes, words_},
                          .b = {weight_.data_ptr<float>(), width_, /*transposed=*/false, /*lasting=*/true},
                          .beta = 0,
                          .c = gradients.features.data_ptr<float>() + begin * width_,
                          .c_stride = width_});
    }
    multiply(products);
  }

  const at::Tensor &features_, &weight_;
  int64_t rows_, width_, words_;
  std::vector<double> smoothed_, nll_;
  kernel::CrossEntropyTerms terms_;
};

struct ProjectedCrossEntropyBackward : FusedNode {
  Gradients gradients;
  at::Tensor weight;

  variable_list backward(const variable_list& outputs) override {
    const PartScope scope(StepPart::Loss);
    if (!outputs[0].defined()) return {at::Tensor(), at::Tensor()};
    const double slope = outputs[0].item<double>();
    if (slope != 1 && gradients.features.defined()) gradients.features.mul_(slope);
    return {gradients.features, given_to(weight, gradients.weight, slope)};
  }

  void release_variables() override { gradients = {}, weight.reset(); }
};

}  // namespace

int64_t logits_chunk_rows(int64_t words) {
  return std::clamp<int64_t>(kChunkLogits / words / 16 * 16, kLeastChunkRows, kMostRows);
}

CrossEntropy projected_cross_entropies_fused(const at::Tensor& features, const at::Tensor& weight,
                                             const at::Tensor& targets, double eps, SmoothingOver over) {
  const PartScope scope(StepPart::Loss);
  const at::Tensor rows = features.contiguous();
  const bool learns = wants_gradient(rows, weight);
  check_indices(targets, weight.size(0), "target");
  Gradients gradients;
  if (learns && rows.requires_grad()) gradients.features = at::empty_like(rows);
  if (learns && weight.requires_grad()) gradients.weight = at::empty(weight.sizes(), weight.options());
  const Sums sums = Sweep(rows, weight, targets, eps, over).run(learns ? &gradients : nullptr);
  const at::TensorOptions scalar = at::TensorOptions().dtype(at::kDouble);
  CrossEntropy result{at::scalar_tensor(sums.smoothed, scalar), at::scalar_tensor(sums.nll, scalar)};
  if (learns) {
    const auto node = make_node<ProjectedCrossEntropyBackward>(rows, weight);
    node->gradients = gradients;
    node->weight = weight;
    torch::autograd::set_history(result.smoothed, node);
  }
  return result;
}

}  // namespace plumb::ops
