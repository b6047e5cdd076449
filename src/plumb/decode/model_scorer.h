#pragma once

#include "plumb/catalogue/special_ids.h"
#include "plumb/decode/search.h"
#include "plumb/nn/decoding.h"

namespace plumb {

/// A model as a search sees it.
class ModelScorer : public Scorer {
 public:
  /// `sentences` counts them where there is no source.
  ModelScorer(const Transformer& model, const Tokens& source, int64_t beam, int64_t sentences = 0)
      : decoding_(model, source, beam, sentences) {}

  at::Tensor step(const at::Tensor& ids) override { return decoding_.step(ids); }
  ops::TopWords step_to_best(const at::Tensor& ids, int64_t count) override {
    return decoding_.step_to_best(ids, count, kEos);
  }
  void reorder(const at::Tensor& rows) override { decoding_.reorder(rows); }
  void keep(const at::Tensor& sentences) override { decoding_.keep(sentences); }

 private:
  Decoding decoding_;
};

}  // namespace plumb
