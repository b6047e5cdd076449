#pragma once

#include <optional>

#include "plumb/config/config.h"
#include "plumb/nn/attention.h"
#include "plumb/nn/feed_forward.h"
#include "plumb/residual/residual.h"

namespace plumb {

/// What cross-attention reads: the encoder's output and its packing.
struct Memory {
  at::Tensor states;  // [S, D]
  const ops::Packed* rows = nullptr;
};

/// Self-attention, cross-attention if there is an encoder to read, feed-forward; each inside its residual.
class Layer {
 public:
  /// `index` counts from 0.
  Layer(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, int index);

  at::Tensor operator()(const at::Tensor& input, const ops::Packed& rows, const Memory& memory, Flow& flow,
                        const Pass& pass) const;

 private:
  struct CrossAttention {
    Residual residual;
    Attention attention;
  };
  static std::optional<CrossAttention> make_cross(ParameterStore& store, const ModelConfig& model,
                                                  const StackPlan& plan, int index, Parameter scalar);

  Parameter scalar_;  // declared first: the residuals of this layer share it
  Residual self_residual_;
  Attention self_attention_;
  std::optional<CrossAttention> cross_;
  Residual ffn_residual_;
  FeedForward ffn_;
};

}  // namespace plumb
