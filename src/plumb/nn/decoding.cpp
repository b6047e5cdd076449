#include "plumb/nn/decoding.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace plumb {

Decoding::Decoding(const Transformer& model, const Tokens& source, int64_t beam, int64_t sentences)
    : model_(model), beam_(beam), sentences_(model.encoder_ ? source.rows.sequences() : sentences) {
  TORCH_CHECK(model.decoder_, "a model without a decoder cannot generate");
  at::NoGradGuard no_grad;
  Memory memory;
  if (model.encoder_) {
    const Transformer::Encoded encoded = model.encode(source.to(model.where()), model.pass());
    context_.readers.keys = encoded.rows;
    memory = {encoded.states, &context_.readers.keys};
    for (int64_t sentence = 0; sentence < sentences_; ++sentence) context_.readers.readers.push_back(sentence);
  }
  share_out();
  caches_ = model.decoder_->remember(memory);
}

// Who the hypotheses are: `beam` for each sentence that goes on.
void Decoding::share_out() {
  const auto count = static_cast<size_t>(sentences_);
  context_.rows = ops::Packed(std::vector<int64_t>(count * static_cast<size_t>(beam_), 1));
  context_.readers.queries = ops::Packed(std::vector<int64_t>(count, beam_));
}

at::Tensor Decoding::features(const at::Tensor& ids) {
  const at::Tensor x0 = model_.decoder_embedding_->step(model_.where().bring(ids), context_.rows, position_);
  ++position_;
  context_.ancestry.append(ids.numel());
  return model_.decoder_->step(x0, context_, caches_);
}

at::Tensor Decoding::step(const at::Tensor& ids) {
  at::NoGradGuard no_grad;
  return model_.logits(features(ids));
}

ops::TopWords Decoding::step_to_best(const at::Tensor& ids, int64_t count, int64_t chosen) {
  at::NoGradGuard no_grad;
  return model_.head().top_words(features(ids), count, chosen);
}

void Decoding::reorder(const at::Tensor& rows) {
  context_.ancestry.select(rows);
}

void Decoding::keep(const at::Tensor& sentences) {
  const at::Tensor places = at::arange(beam_, Where(sentences).options(at::kLong));
  context_.ancestry.select((sentences.unsqueeze(1) * beam_ + places).flatten());
  std::vector<int64_t> readers;
  if (!context_.readers.readers.empty()) {
    for (const int64_t sentence : numbers_of<int64_t>(sentences)) {
      readers.push_back(context_.readers.readers[static_cast<size_t>(sentence)]);
    }
  }
  context_.readers.readers = std::move(readers);
  sentences_ = sentences.size(0);
  share_out();
}

}  // namespace plumb
