#pragma once

#include <memory>
#include <optional>

#include "plumb/config/config.h"
#include "plumb/nn/embedding.h"
#include "plumb/nn/head.h"
#include "plumb/nn/stack.h"
#include "plumb/nn/subsampler.h"
#include "plumb/nn/tokens.h"
#include "plumb/ops/cross_entropy.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

class Decoding;

/// A Transformer in any of its three forms. Its parameters live in one store; everything else is wiring.
class Transformer {
 public:
  /// Declares the parameters, which costs no memory to speak of. `model` must have passed the checks of config/.
  explicit Transformer(const ModelConfig& model);
  /// Also allocates and draws them.
  Transformer(const ModelConfig& model, uint64_t seed, const Where& where = {});

  void allocate(uint64_t seed, const Where& where);

  /// [N, D], the rows of the last stack.
  at::Tensor features(const Batch& batch, const Pass& pass) const;

  /// What turns features into words; a model of classes has none.
  const Head& head() const;
  /// [N, V], from the head.
  at::Tensor logits(const at::Tensor& features) const { return head().logits(features); }
  /// What ops::cross_entropies() makes of the logits, without ever having all of them; without dropout.
  ops::CrossEntropy cross_entropies(const at::Tensor& features, const at::Tensor& targets, double label_smoothing,
                                    SmoothingOver over) const;
  /// The head that classifies whole sequences: classes, or whether a second sentence follows the first. May be null.
  const SentenceHead* sentence_head() const { return sentence_head_ ? &*sentence_head_ : nullptr; }

  /// The encoder's output for a batch of sources, and its rows; nothing for a decoder-only model.
  struct Encoded {
    at::Tensor states;
    ops::Packed rows;
  };
  Encoded encode(const Tokens& source, const Pass& pass) const;

  /// Of a stack that the form has.
  const LayerStack& stack(Stack stack) const { return stack == Stack::Encoder ? encoder_.value() : decoder_.value(); }

  /// Sets what the variant's row wants to be measured before training (Admin's omega) from one batch; does nothing
  /// for other rows. `pass` should be that of the first training step: the measurement is made with its dropout.
  void profile(const Batch& batch, Pass pass);

  /// Where its parameters are, and what it reads has to be.
  const Where& where() const { return store_.where(); }
  /// A pass there, without dropout.
  Pass pass() const { return {.where = where()}; }

  const ModelConfig& config() const { return model_; }
  ParameterStore& parameters() { return store_; }
  const ParameterStore& parameters() const { return store_; }

 private:
  friend class Decoding;
  /// The vectors of a stack's words, declared unless another stack has them already.
  WordVectors declare_words(const StackPlan& plan, int64_t vocabulary);
  void check_there(const Tokens& tokens, const Pass& pass) const;
  void declare_head(const StackPlan& last);
  Parameter declare_output(const StackPlan& last, int64_t vocabulary);

  ModelConfig model_;
  ParameterStore store_;
  WordVectors encoder_words_, decoder_words_;
  Subsampler subsampler_;
  std::optional<Embedding> encoder_embedding_, decoder_embedding_;
  std::optional<LayerStack> encoder_, decoder_;
  std::unique_ptr<Head> head_;
  std::optional<SentenceHead> sentence_head_;
};

}  // namespace plumb
