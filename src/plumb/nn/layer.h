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

/// What one decoder layer keeps between two steps of generation.
struct LayerCache {
  ops::History self;
  MemoryCache memory;
};

/// What all layers of a decoder share in one step of generation.
struct StepContext {
  ops::Packed rows;             // a sequence of one token for each hypothesis
  ops::Ancestry ancestry;       // with this step's position
  ops::AttentionTerms readers;  // who reads which sentence of the memory
};

/// Self-attention, cross-attention if there is an encoder to read, feed-forward; each inside its residual.
class Layer {
 public:
  /// `index` counts from 0.
  Layer(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, int index);

  at::Tensor operator()(const at::Tensor& input, const ops::Packed& rows, const Memory& memory, Flow& flow,
                        const Pass& pass) const;

  const Residual& residual(Sublayer sublayer) const;

  /// Fills the part of the cache that does not change from step to step.
  void remember(const Memory& memory, LayerCache& cache) const;
  /// One more position for every row of `input`.
  at::Tensor step(const at::Tensor& input, const StepContext& context, LayerCache& cache, Flow& flow) const;

 private:
  using Branch = Residual::Branch;
  at::Tensor run(const at::Tensor& input, const ops::Packed& rows, const Branch& self, const Branch& cross, Flow& flow,
                 const Pass& pass) const;

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
