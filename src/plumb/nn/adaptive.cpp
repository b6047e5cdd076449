#include "plumb/nn/adaptive.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plumb/catalogue/initialisation.h"
#include "plumb/ops/dropout.h"
#include "plumb/ops/embedding.h"
#include "plumb/ops/linear.h"

namespace plumb {
namespace {

// The embedding's own rule, which draws from the width of its rows.
Fill word_fill(const StackPlan& plan, const WordBand& band) {
  const double narrower = static_cast<double>(plan.shape.width) / static_cast<double>(band.width);
  return plan.fill(Role::Embedding, Sublayer::SelfAttention, 1, 0, 0).scaled(std::sqrt(narrower));
}

ParameterPlace band_place(const StackPlan& plan, size_t band, int part) {
  return {.stack = plan.stack,
          .role = ParameterRole::Table,
          .part = "embedding",
          .module = fmt::format("embed_tokens.embeddings.{}.{}", band, part)};
}

ParameterPlace softmax_place(const StackPlan& plan, const std::string& part) {
  return {.stack = plan.stack, .role = ParameterRole::Head, .module = "adaptive_softmax." + part};
}

ParameterSpec class_spec(const StackPlan& plan, int64_t classes) {
  const int64_t width = plan.shape.width;
  return spec_at(softmax_place(plan, "head.class_proj"), "weight", {classes, width}, xavier_uniform(classes, width));
}

at::Tensor rows_in(const at::Tensor& ids, const WordBand& band) {
  return ((ids >= band.first) & (ids < band.first + band.size)).nonzero().flatten();
}

// Some rows of a batch, each by itself, under names that do not depend on the others.
ops::Packed chosen_rows(const ops::Packed& rows, const at::Tensor& chosen) {
  constexpr int64_t kPositions = int64_t{1} << 24;  // more than any sequence has
  const kernel::RowNames names = rows.row_names();
  std::vector<int64_t> samples;
  for (const int64_t row : numbers_of<int64_t>(chosen)) {
    samples.push_back(names.sample[row] * kPositions + names.position[row]);
  }
  return ops::Packed(std::vector<int64_t>(samples.size(), 1), samples);
}

}  // namespace

std::vector<WordBand> word_bands(const ModelConfig& model, int64_t vocabulary) {
  std::vector<WordBand> bands;
  int64_t first = 0;
  double width = model.width;
  const auto add = [&](int64_t end) {
    bands.push_back({first, end - first, std::max<int64_t>(1, static_cast<int64_t>(width))});
    first = end;
    width = std::floor(width / model.adaptive_factor);
  };
  for (int cutoff : model.adaptive_cutoffs) add(cutoff);
  add(vocabulary);
  return bands;
}

AdaptiveEmbedding::AdaptiveEmbedding(ParameterStore& store, const ModelConfig& model, const StackPlan& plan,
                                     int64_t vocabulary, bool shared_with_head)
    : bands_(word_bands(model, vocabulary)) {
  const int64_t width = model.width;
  for (size_t i = 0; i < bands_.size(); ++i) {
    const WordBand& band = bands_[i];
    std::vector<ParameterSpec> words = {
        spec_at(band_place(plan, i, 0), "weight", {band.size, band.width}, word_fill(plan, band))};
    // The head multiplies by the first band's words and by its classes at once: they lie next to each other.
    if (i == 0 && shared_with_head) words.push_back(class_spec(plan, std::ssize(bands_) - 1));
    words_.push_back(store.declare_stacked(std::move(words)));
    projections_.push_back(
        store.declare(band_place(plan, i, 1), "weight", {width, band.width}, xavier_uniform(width, band.width)));
  }
}

at::Tensor AdaptiveEmbedding::operator()(const at::Tensor& ids) const {
  std::vector<at::Tensor> parts, places;
  for (size_t i = 0; i < bands_.size(); ++i) {
    const at::Tensor rows = rows_in(ids, bands_[i]);
    if (rows.numel() == 0) continue;
    const at::Tensor local = ids.index_select(0, rows) - bands_[i].first;
    const at::Tensor vectors = ops::embedding(
        {.table = *words_[i], .ids = local, .rows = ops::Packed::single_rows(rows.numel()), .dropout = {}});
    parts.push_back(ops::linear(vectors, *projections_[i], {}));
    places.push_back(rows);
  }
  const at::Tensor back = at::cat(places).argsort();
  return at::cat(parts).index_select(0, back);
}

AdaptiveHead::AdaptiveHead(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, int64_t vocabulary,
                           const AdaptiveEmbedding* embedding)
    : stack_(plan.stack), dropout_(model.adaptive_dropout), bands_(word_bands(model, vocabulary)) {
  const int64_t width = model.width, classes = std::ssize(bands_) - 1;
  transposed_ = embedding && model.adaptive_tie_projections;
  if (embedding) {
    head_ = embedding->words(0);
  } else {
    const ParameterSpec words = spec_at(softmax_place(plan, "head.word_proj"), "weight", {bands_[0].size, width},
                                        xavier_uniform(bands_[0].size, width));
    head_ = store.declare_stacked({words, class_spec(plan, classes)});
  }
  for (size_t i = 1; i < bands_.size(); ++i) {
    const WordBand& band = bands_[i];
    const auto own = [&](int part, int64_t out, int64_t in) {
      return store.declare(softmax_place(plan, fmt::format("tail.{}.{}", i - 1, part)), "weight", {out, in},
                           xavier_uniform(out, in));
    };
    projections_.push_back(transposed_ ? embedding->projection(i) : own(0, band.width, width));
    words_.push_back(embedding ? embedding->words(i) : own(2, band.size, band.width));
  }
}

at::Tensor AdaptiveHead::projected(const at::Tensor& x, size_t band) const {
  const at::Tensor& matrix = *projections_[band - 1];
  return ops::linear(x, transposed_ ? matrix.t().contiguous() : matrix, {});
}

ops::CrossEntropy AdaptiveHead::cross_entropies(const at::Tensor& features, const ops::Packed& rows,
                                                const Scoring& scoring, const Pass& pass) const {
  const at::Tensor& targets = scoring.targets;
  const auto dropout = [&](int layer) {
    return pass.dropout(dropout_, DropoutKind::Output, stack_, Sublayer::SelfAttention, layer);
  };
  const bool named = rows.rows() == features.size(0) && dropout(0).active();
  const at::Tensor x = named ? ops::dropout(features, rows, dropout(0)) : features;

  at::Tensor head_targets = targets.clone();
  for (size_t i = 1; i < bands_.size(); ++i) {
    const int64_t choice = bands_[0].size + static_cast<int64_t>(i) - 1;
    head_targets.masked_fill_((targets >= bands_[i].first) & (targets < bands_[i].first + bands_[i].size), choice);
  }
  ops::CrossEntropy sums = ops::projected_cross_entropies(x, *head_, head_targets, 0, scoring.over);
  for (size_t i = 1; i < bands_.size(); ++i) {
    const at::Tensor chosen = rows_in(targets, bands_[i]);
    if (chosen.numel() == 0) continue;
    at::Tensor hidden = projected(x.index_select(0, chosen), i);
    if (named) hidden = ops::dropout(hidden, chosen_rows(rows, chosen), dropout(static_cast<int>(i)));
    const at::Tensor local = targets.index_select(0, chosen) - bands_[i].first;
    const ops::CrossEntropy tail = ops::projected_cross_entropies(hidden, *words_[i - 1], local, 0, scoring.over);
    sums.smoothed = sums.smoothed + tail.smoothed;
    sums.nll = sums.nll + tail.nll;
  }
  return sums;
}

at::Tensor AdaptiveHead::logits(const at::Tensor& features) const {
  const at::Tensor head = ops::linear(features, *head_, {}).log_softmax(-1);
  std::vector<at::Tensor> all = {head.narrow(1, 0, bands_[0].size)};
  for (size_t i = 1; i < bands_.size(); ++i) {
    const at::Tensor tail = ops::linear(projected(features, i), *words_[i - 1], {}).log_softmax(-1);
    all.push_back(tail + head.select(1, bands_[0].size + static_cast<int64_t>(i) - 1).unsqueeze(1));
  }
  return at::cat(all, 1);
}

}  // namespace plumb
