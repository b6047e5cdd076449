#pragma once

#include <memory>

#include "plumb/config/stack_plan.h"
#include "plumb/ops/cross_entropy.h"
#include "plumb/ops/top_words.h"
#include "plumb/residual/norm.h"
#include "plumb/residual/pass.h"

namespace plumb {

/// What is asked of a head: the words that stand in the rows, and how the loss is smoothed.
struct Scoring {
  const at::Tensor& targets;  // int64 [N]
  double label_smoothing = 0;
  SmoothingOver over = SmoothingOver::All;
};

/// What stands behind the last stack: rows of features become scores of words.
class Head {
 public:
  virtual ~Head() = default;

  /// Sums over the rows of features [N, D]. `rows` are their names for dropout; it may have other rows where only some
  /// were chosen, and then nothing is dropped here.
  virtual ops::CrossEntropy cross_entropies(const at::Tensor& features, const ops::Packed& rows, const Scoring& scoring,
                                            const Pass& pass) const = 0;
  /// log p of every word, up to a constant for each row. [N, V]
  virtual at::Tensor logits(const at::Tensor& features) const = 0;
  /// The likeliest words of each row, without gradients.
  virtual ops::TopWords top_words(const at::Tensor& features, int64_t count, int64_t chosen) const {
    return ops::top_words(logits(features), count, chosen);
  }
};

/// features W^T: the softmax over all words.
class ProjectionHead : public Head {
 public:
  explicit ProjectionHead(Parameter words) : words_(words) {}

  ops::CrossEntropy cross_entropies(const at::Tensor& features, const ops::Packed& rows, const Scoring& scoring,
                                    const Pass& pass) const override;
  at::Tensor logits(const at::Tensor& features) const override;
  ops::TopWords top_words(const at::Tensor& features, int64_t count, int64_t chosen) const override;

 private:
  Parameter words_;
};

/// BERT's head of the masked tokens: norm(gelu(W x + b)), then the softmax over all words.
class MaskedHead : public ProjectionHead {
 public:
  MaskedHead(ParameterStore& store, const StackPlan& plan, Parameter words);

  ops::CrossEntropy cross_entropies(const at::Tensor& features, const ops::Packed& rows, const Scoring& scoring,
                                    const Pass& pass) const override;
  at::Tensor logits(const at::Tensor& features) const override;
  ops::TopWords top_words(const at::Tensor& features, int64_t count, int64_t chosen) const override;

 private:
  at::Tensor transformed(const at::Tensor& features) const;

  Parameter weight_, bias_;
  Norm norm_;
};

/// Classes of whole sequences: W dropout(tanh(P x + b)) + c, with x the row of each sequence's first token ([CLS]). The
/// pooler P keeps its name from pre-training to fine-tuning.
class SentenceHead {
 public:
  /// `name` is that of W.
  SentenceHead(ParameterStore& store, const StackPlan& plan, const std::string& name, int64_t classes, double dropout);

  /// [B, classes] of pooled rows [B, D], one for each sequence.
  at::Tensor logits(const at::Tensor& first_rows, const ops::Packed& rows, const Pass& pass) const;

 private:
  Stack stack_;
  double dropout_;
  Parameter pooler_, pooler_bias_, weight_, bias_;
};

}  // namespace plumb
