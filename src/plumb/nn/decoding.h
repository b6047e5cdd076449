#pragma once

#include <vector>

#include "plumb/nn/transformer.h"
#include "plumb/ops/top_words.h"

namespace plumb {

/// A batch of sentences being generated, one position at a time, without gradients: what the decoder has read stays
/// where the projections wrote it, and the encoder's output is shared by the hypotheses of a sentence.
///
/// There are `beam` hypotheses per sentence, those of one sentence next to each other.
class Decoding {
 public:
  /// `sentences` is only needed where there is no source to count.
  Decoding(const Transformer& model, const Tokens& source, int64_t beam, int64_t sentences = 0);

  /// Feeds one token to every hypothesis, int64 [sentences * beam]; gives the logits of the next, [.., V].
  at::Tensor step(const at::Tensor& ids);
  /// The same, but gives the `count` likeliest next tokens, and log p of `chosen`.
  ops::TopWords step_to_best(const at::Tensor& ids, int64_t count, int64_t chosen);
  /// Hypothesis i continues what hypothesis `rows[i]` was, of the same sentence. int64 [sentences * beam]
  void reorder(const at::Tensor& rows);
  /// Only these sentences go on. int64, ascending
  void keep(const at::Tensor& sentences);

  int64_t sentences() const { return sentences_; }
  int64_t position() const { return position_; }

 private:
  at::Tensor features(const at::Tensor& ids);
  void share_out();

  const Transformer& model_;
  int64_t beam_, sentences_, position_ = 0;
  StepContext context_;
  std::vector<LayerCache> caches_;
};

}  // namespace plumb
