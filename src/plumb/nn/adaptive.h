#pragma once

#include <vector>

#include "plumb/config/stack_plan.h"
#include "plumb/nn/head.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// Words in bands by frequency (Grave et al. 2017; Baevski & Auli 2019). Ids are sorted by frequency; band i begins at
/// cut-off i, and its words have D / factor^i dimensions.
struct WordBand {
  int64_t first = 0, size = 0, width = 0;
};
std::vector<WordBand> word_bands(const ModelConfig& model, int64_t vocabulary);

/// The embedding in bands: x = P_i E_i[id], P_i [D, D_i] without a bias, also for the first band, as in fairseq.
class AdaptiveEmbedding {
 public:
  /// If it is shared with a head, the rows of its classes are laid out behind the words of the first band.
  AdaptiveEmbedding(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, int64_t vocabulary,
                    bool shared_with_head);

  at::Tensor operator()(const at::Tensor& ids) const;  // [N, D]

  /// E_i, the first one with the rows of the head's classes behind it if they share it.
  Parameter words(size_t band) const { return words_[band]; }
  Parameter projection(size_t band) const { return projections_[band]; }

 private:
  std::vector<WordBand> bands_;
  std::vector<Parameter> words_, projections_;
};

/// The softmax in bands: the first band's words and one class for each other band compete,
///
///     p(w) = softmax(x [E_0; C]^T)_w                                     w in band 0
///     p(w) = softmax(x [E_0; C]^T)_class(i) softmax((x Q_i^T) E_i^T)_w   w in band i
///
/// so that rare words cost only the rows that have one. Dropout falls on x, and on x Q_i^T.
class AdaptiveHead : public Head {
 public:
  /// Shares E_i with `embedding` if it is given, and Q_i = P_i^T if the model ties the projections.
  AdaptiveHead(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, int64_t vocabulary,
               const AdaptiveEmbedding* embedding);

  ops::CrossEntropy cross_entropies(const at::Tensor& features, const ops::Packed& rows, const Scoring& scoring,
                                    const Pass& pass) const override;
  at::Tensor logits(const at::Tensor& features) const override;

 private:
  /// x Q_i^T
  at::Tensor projected(const at::Tensor& x, size_t band) const;

  Stack stack_;
  double dropout_;
  std::vector<WordBand> bands_;
  Parameter head_;                              // [V_0 + bands - 1, D]
  std::vector<Parameter> words_, projections_;  // of bands 1, 2, ...
  bool transposed_ = false;                     // the projections are P_i [D, D_i] and not Q_i [D_i, D]
};

}  // namespace plumb
