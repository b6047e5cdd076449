#include "plumb/nn/decoding.h"

#include <ATen/ATen.h>

namespace plumb {

Decoding::Decoding(const Transformer& model, const Tokens& source, int64_t beam, int64_t sentences)
    : model_(model), beam_(beam), sentences_(model.encoder_ ? source.rows.sequences() : sentences) {
  TORCH_CHECK(model.decoder_, "a model without a decoder cannot generate");
  at::NoGradGuard no_grad;
  Memory memory;
  if (model.encoder_) {
    memory = {model.encode(source, {}), &source.rows};
    forbidden_ = source.rows.occupied().logical_not();
  }
  caches_ = model.decoder_->remember(memory);
}

at::Tensor Decoding::step(const at::Tensor& ids) {
  at::NoGradGuard no_grad;
  const ops::Packed rows(std::vector<int64_t>(static_cast<size_t>(ids.size(0)), 1));
  const at::Tensor x0 = model_.decoder_embedding_->step(ids, rows, position_);
  ++position_;
  return model_.logits(model_.decoder_->step(x0, rows, forbidden_, caches_));
}

void Decoding::reorder(const at::Tensor& rows) {
  at::NoGradGuard no_grad;
  for (LayerCache& cache : caches_) cache.self.select(rows);
}

void Decoding::keep(const at::Tensor& sentences) {
  at::NoGradGuard no_grad;
  const at::Tensor rows = (sentences.unsqueeze(1) * beam_ + at::arange(beam_, at::kLong)).flatten();
  for (LayerCache& cache : caches_) {
    cache.self.select(rows);
    if (!cache.memory.keys.defined()) continue;
    cache.memory.keys = cache.memory.keys.index_select(0, sentences);
    cache.memory.values = cache.memory.values.index_select(0, sentences);
  }
  if (forbidden_.defined()) forbidden_ = forbidden_.index_select(0, sentences);
  sentences_ = sentences.size(0);
}

}  // namespace plumb
