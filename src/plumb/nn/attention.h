#pragma once

#include "plumb/nn/linear.h"
#include "plumb/ops/packed.h"
#include "plumb/residual/norm.h"
#include "plumb/residual/pass.h"

namespace plumb {

/// Multi-head attention over packed sequences: self-attention (query, key and value from one multiplication), or
/// cross-attention (keys and values from the encoder's output).
class Attention {
 public:
  /// `layer` counts from 0. `length` is where l2 query-key norm starts its scale from.
  Attention(ParameterStore& store, const StackPlan& plan, Sublayer sublayer, int layer, double dropout, int length);

  /// u [N, D] reads itself. Causal in a decoder.
  at::Tensor self(const at::Tensor& u, const ops::Packed& rows, const Pass& pass) const;
  /// u [N, D] reads memory [S, D].
  at::Tensor cross(const at::Tensor& u, const ops::Packed& rows, const at::Tensor& memory,
                   const ops::Packed& memory_rows, const Pass& pass) const;

 private:
  at::Tensor attend(at::Tensor q, at::Tensor k, at::Tensor v, const ops::Packed& rows, const ops::Packed& key_rows,
                    bool causal, const Pass& pass) const;
  at::Tensor per_head(const at::Tensor& x) const;  // [N, D] -> [N, H, K]

  Stack stack_;
  Sublayer sublayer_;
  int layer_;
  int64_t width_, heads_;
  QkNorm qk_norm_;
  double dropout_;
  Linear qkv_, q_, kv_, out_;
  Norm q_norm_, k_norm_, v_norm_, heads_norm_;
  Parameter qk_scale_, head_scale_;
};

}  // namespace plumb
