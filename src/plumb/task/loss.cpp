#include "plumb/task/loss.h"

#include <ATen/ATen.h>

namespace plumb {
namespace {

const ops::Packed& last_rows(const Transformer& model, const TrainingBatch& batch) {
  const bool decoder = model.config().shape().has(Stack::Decoder);
  return decoder ? batch.inputs.target.rows : batch.inputs.source.rows;
}

at::Tensor sentence_logits(const Transformer& model, const at::Tensor& features, const ops::Packed& rows,
                           const Pass& pass) {
  return model.sentence_head()->logits(features.index_select(0, first_rows(rows, pass.where)), rows, pass);
}

}  // namespace

ops::CrossEntropy losses(const Transformer& model, const TrainingBatch& batch, const TrainConfig& train,
                         const Pass& pass) {
  const at::Tensor features = model.features(batch.inputs, pass);
  const ops::Packed& rows = last_rows(model, batch);
  if (model.config().head == HeadKind::Classes) {
    return ops::cross_entropies(sentence_logits(model, features, rows, pass), batch.targets, train.label_smoothing,
                                train.smoothing_over);
  }
  const at::Tensor chosen = batch.scored.defined() ? features.index_select(0, batch.scored) : features;
  const Scoring scoring{batch.targets, train.label_smoothing, train.smoothing_over};
  ops::CrossEntropy sums = model.head().cross_entropies(chosen, rows, scoring, pass);
  if (batch.labels.defined()) {
    const at::Tensor second = ops::cross_entropy(sentence_logits(model, features, rows, pass), batch.labels,
                                                 /*eps=*/0, SmoothingOver::All);
    const double often = static_cast<double>(batch.tokens()) / static_cast<double>(batch.labels.numel());
    sums.smoothed = sums.smoothed + second * often;
  }
  return sums;
}

at::Tensor class_logits(const Transformer& model, const TrainingBatch& batch, const Pass& pass) {
  return sentence_logits(model, model.features(batch.inputs, pass), last_rows(model, batch), pass);
}

}  // namespace plumb
