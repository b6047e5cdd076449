#pragma once

#include "plumb/catalogue/special_ids.h"
#include "plumb/config/config.h"
#include "plumb/config/plan.h"
#include "plumb/ops/packed.h"
#include "plumb/residual/norm.h"
#include "plumb/residual/pass.h"

namespace plumb {

/// x_0 = dropout(norm(gain * (sqrt(D) E[token] + P[position]))), with the parts that the configuration asks for.
class Embedding {
 public:
  /// `tokens` is the table, which another stack may share.
  Embedding(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, Parameter tokens);

  at::Tensor operator()(const at::Tensor& ids, const ops::Packed& rows, const Pass& pass) const;

  /// The embedding of tokens that all stand at one position, each a sequence of its own; nothing is dropped.
  at::Tensor step(const at::Tensor& ids, const ops::Packed& rows, int64_t position) const;

  /// Computes the sinusoids; after the store has been allocated.
  void prepare(at::ScalarType dtype);

 private:
  /// `first`: the position at which the sequences begin.
  at::Tensor embedded(const at::Tensor& ids, const ops::Packed& rows, int64_t first, const ops::Dropout& dropout) const;

  Stack stack_;
  Positions convention_;
  int64_t width_, max_positions_;
  double scale_, dropout_;
  Parameter tokens_, learned_positions_, gain_;
  at::Tensor sinusoids_;  // [max_positions, D]
  Norm norm_;
};

/// Declares a token table. The row of the padding id starts at zero, as in fairseq.
Parameter declare_tokens(ParameterStore& store, const StackPlan& plan, int64_t vocabulary);

}  // namespace plumb
