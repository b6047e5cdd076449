#pragma once

#include "plumb/decode/search.h"
#include "plumb/nn/decoding.h"

namespace plumb {

/// A model as a search sees it.
class ModelScorer : public Scorer {
 public:
  ModelScorer(const Transformer& model, const Tokens& source, int64_t beam) : decoding_(model, source, beam) {}

  at::Tensor step(const at::Tensor& ids) override { return decoding_.step(ids); }
  void reorder(const at::Tensor& rows) override { decoding_.reorder(rows); }
  void keep(const at::Tensor& sentences) override { decoding_.keep(sentences); }

 private:
  Decoding decoding_;
};

}  // namespace plumb
