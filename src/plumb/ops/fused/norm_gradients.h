#pragma once

#include "plumb/ops/fused/column_sums.h"
#include "plumb/ops/fused/fused_node.h"
#include "plumb/ops/fused/norm.h"

namespace plumb::ops {

/// The gradients of a norm's weights, while a backward pass over the rows makes them. Of the sums of a chunk they take
/// the floats from `first` on.
class NormWeightGradients {
 public:
  /// `wanted`: of weight, bias and alpha.
  NormWeightGradients(const NormWeights& weights, int64_t first, const bool (&wanted)[3])
      : first_(first),
        weight_(weights.weight, wanted[0]),
        bias_(weights.bias, wanted[1]),
        alpha_(weights.alpha, wanted[2]),
        weights_(weights.weight.defined() ? weights.weight.numel() : 0),
        biases_(weights.bias.defined() ? weights.bias.numel() : 0) {}

  /// How many floats of a chunk's sums.
  int64_t width() const { return weights_ + biases_ + 1; }

  kernel::NormGradients of_chunk(float* sums) const {
    float* own = sums + first_;
    return {.weight = weight_ ? own : nullptr,
            .bias = bias_ ? own + weights_ : nullptr,
            .alpha = alpha_ ? own + weights_ + biases_ : nullptr};
  }
  void add(const ChunkSums& sums) const {
    if (weight_) sums.add_to(weight_.data(), first_, weights_);
    if (bias_) sums.add_to(bias_.data(), first_ + weights_, biases_);
    if (alpha_) sums.add_to(alpha_.data(), first_ + weights_ + biases_, 1);
  }
  /// For the edges of weight, bias and alpha.
  at::Tensor weight() const { return weight_.for_autograd(); }
  at::Tensor bias() const { return bias_.for_autograd(); }
  at::Tensor alpha() const { return alpha_.for_autograd(); }

 private:
  int64_t first_;
  ParameterGradient weight_, bias_, alpha_;
  int64_t weights_, biases_;
};

}  // namespace plumb::ops
