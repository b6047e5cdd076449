#pragma once

#include "plumb/nn/linear.h"
#include "plumb/ops/attention.h"
#include "plumb/ops/attention_history.h"
#include "plumb/ops/packed.h"
#include "plumb/residual/norm.h"
#include "plumb/residual/pass.h"

namespace plumb {

/// The encoder's output as one cross-attention sees it: keys and values, computed once, packed as the memory is.
/// Hypotheses of one sentence share them.
struct MemoryCache {
  at::Tensor keys_and_values;  // [S, 2 D]; undefined where keys or values have norms of their own
  at::Tensor keys, values;     // then these, [S, D]
};

/// Multi-head attention over packed sequences: self-attention (query, key and value from one multiplication), or
/// cross-attention (keys and values from the encoder's output).
class Attention {
 public:
  /// `layer` counts from 0. `length` is where l2 query-key norm starts its scale from.
  Attention(ParameterStore& store, const StackPlan& plan, Sublayer sublayer, int layer, double dropout, int length);

  /// u [N, D] reads itself. Causal in a decoder.
  Projected self(const at::Tensor& u, const ops::Packed& rows, const Pass& pass) const;
  /// One more position for R hypotheses, u [R, D]; what came before is in the history, to which this position is added.
  /// The ancestry has it already.
  Projected self_step(const at::Tensor& u, ops::History& history, const ops::Ancestry& ancestry) const;

  /// u [N, D] reads memory [S, D].
  Projected cross(const at::Tensor& u, const ops::Packed& rows, const at::Tensor& memory,
                  const ops::Packed& memory_rows, const Pass& pass) const;
  /// Memory [S, D], ready to be read by many steps.
  MemoryCache remember(const at::Tensor& memory) const;
  /// One more position, u [R, D]; `readers` says which hypotheses read which sentence of the memory.
  Projected cross_step(const at::Tensor& u, const MemoryCache& memory, const ops::AttentionTerms& readers) const;

 private:
  /// The norms of queries, keys and values. The scores are `scale_` times what comes out.
  at::Tensor ready_query(const at::Tensor& q) const;
  at::Tensor ready_key(const at::Tensor& k) const;
  at::Tensor ready_value(const at::Tensor& v) const;
  /// What follows the weighted sum: head scale, norm, output projection.
  Projected finish(at::Tensor y, const at::Tensor& skip = {}) const;
  bool norms_inputs() const { return qk_norm_ != QkNorm::None || v_norm_; }
  ops::AttentionTerms terms(const ops::Packed& rows, const ops::Packed& key_rows, bool causal, const Pass& pass) const;
  at::Tensor per_head(const at::Tensor& x) const;  // [N, D] -> [N, H, K]

  Stack stack_;
  Sublayer sublayer_;
  int layer_;
  int64_t width_, heads_;
  QkNorm qk_norm_;
  double dropout_, scale_;
  Linear qkv_, q_, kv_, out_;
  Norm q_norm_, k_norm_, v_norm_, heads_norm_;
  Parameter qk_scale_, head_scale_;
};

}  // namespace plumb
