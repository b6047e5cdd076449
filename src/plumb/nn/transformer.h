#pragma once

#include <memory>
#include <optional>

#include "plumb/config/config.h"
#include "plumb/nn/embedding.h"
#include "plumb/nn/stack.h"
#include "plumb/ops/cross_entropy.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// Token ids of packed sequences: int64 [N] and where each sequence begins.
struct Tokens {
  at::Tensor ids;
  ops::Packed rows;
};

/// What a model reads. An encoder reads `source`, a decoder `target`, an encoder-decoder both; the target ids are the
/// decoder's input, already shifted.
struct Batch {
  Tokens source;
  Tokens target;
};

class Decoding;

/// A Transformer in any of its three forms. Its parameters live in one store; everything else is wiring.
class Transformer {
 public:
  /// Declares the parameters, which costs no memory to speak of. `model` must have passed the checks of config/.
  explicit Transformer(const ModelConfig& model);
  /// Also allocates and draws them.
  Transformer(const ModelConfig& model, uint64_t seed, at::ScalarType dtype = at::kFloat);

  void allocate(uint64_t seed, at::ScalarType dtype);

  /// [N, D], the rows of the last stack.
  at::Tensor features(const Batch& batch, const Pass& pass) const;
  /// [N, V] = features W^T.
  at::Tensor logits(const at::Tensor& features) const;
  /// What ops::cross_entropies() makes of the logits, without ever having all of them.
  ops::CrossEntropy cross_entropies(const at::Tensor& features, const at::Tensor& targets, double label_smoothing,
                                    SmoothingOver over) const;

  /// The encoder's output for a batch of sources; an empty tensor for a decoder-only model.
  at::Tensor encode(const Tokens& source, const Pass& pass) const;

  /// Sets what the variant's row wants to be measured before training (Admin's omega) from one batch; does nothing
  /// for other rows. `pass` should be that of the first training step: the measurement is made with its dropout.
  void profile(const Batch& batch, Pass pass);

  const ModelConfig& config() const { return model_; }
  ParameterStore& parameters() { return store_; }
  const ParameterStore& parameters() const { return store_; }

 private:
  friend class Decoding;
  void declare_output(const StackPlan& last);

  ModelConfig model_;
  ParameterStore store_;
  Parameter encoder_tokens_, decoder_tokens_, output_;
  std::optional<Embedding> encoder_embedding_, decoder_embedding_;
  std::optional<LayerStack> encoder_, decoder_;
};

}  // namespace plumb
