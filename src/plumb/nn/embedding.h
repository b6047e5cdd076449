#pragma once

#include <memory>

#include "plumb/catalogue/special_ids.h"
#include "plumb/config/config.h"
#include "plumb/config/stack_plan.h"
#include "plumb/nn/adaptive.h"
#include "plumb/nn/tokens.h"
#include "plumb/residual/norm.h"
#include "plumb/residual/pass.h"

namespace plumb {

/// The vectors of the words: one table, which another stack may share, or bands of tables; neither where the stack
/// reads frames.
struct WordVectors {
  Parameter table;
  std::shared_ptr<const AdaptiveEmbedding> bands = nullptr;

  /// The table that holds the most frequent words and the special ids; absent where the stack reads frames.
  Parameter first_words() const { return bands ? bands->words(0) : table; }
};

/// x_0 = dropout(norm(gain * (sqrt(D) E[token] + P[position] + S[segment]))), with the parts that the configuration
/// asks for. For frames, sqrt(D) times what the subsampler made of them stands in the place of E.
class Embedding {
 public:
  Embedding(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, WordVectors words);

  at::Tensor operator()(const Tokens& tokens, const Pass& pass) const;
  /// Of vectors [N, D] that were made elsewhere.
  at::Tensor of_vectors(const at::Tensor& vectors, const ops::Packed& rows, const Pass& pass) const;

  /// The embedding of tokens that all stand at one position, each a sequence of its own; nothing is dropped.
  at::Tensor step(const at::Tensor& ids, const ops::Packed& rows, int64_t position) const;

  /// Computes the sinusoids; after the store has been allocated.
  void prepare(const Where& where);

 private:
  struct Beginning {
    const ops::Packed& rows;
    int64_t first;  // the position at which the sequences begin
  };
  at::Tensor embedded(const Tokens& tokens, int64_t first, const ops::Dropout& dropout) const;
  at::Tensor positioned(const at::Tensor& vectors, const Beginning& at) const;
  /// Everything that stands between the sum and its dropout, and the dropout.
  at::Tensor finished(at::Tensor x, const Tokens& tokens, const ops::Dropout& dropout) const;
  at::Tensor seen(const at::Tensor& x, const Pass& pass) const;
  void check_length(int64_t longest) const;
  ops::Dropout dropout_of(const Pass& pass) const;
  /// The rows of the table of positions, and which of them is position 0.
  at::Tensor positions() const { return learned_positions_ ? *learned_positions_ : sinusoids_; }
  int64_t position_zero() const;

  Stack stack_;
  Positions convention_;
  int64_t width_, max_positions_;
  double scale_, dropout_;
  WordVectors words_;
  Parameter learned_positions_, segments_, gain_;
  at::Tensor sinusoids_;  // [max_positions, D]
  Norm norm_;
};

/// Where the words' vectors stand.
ParameterPlace tokens_place(Stack stack);

/// Declares a token table. The row of the padding id starts at zero, as in fairseq.
Parameter declare_tokens(ParameterStore& store, const StackPlan& plan, int64_t vocabulary);

}  // namespace plumb
