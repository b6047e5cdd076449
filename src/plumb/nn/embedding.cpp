#include "plumb/nn/embedding.h"

#include <cmath>

#include <ATen/ATen.h>

#include "plumb/base/error.h"
#include "plumb/ops/dropout.h"
#include "plumb/ops/embedding.h"
#include "plumb/ops/positions.h"

namespace plumb {
namespace {

// The sub-layer and layer of a place mean nothing to a table.
Fill table_fill(const StackPlan& plan, Role role) {
  return plan.fill(role, Sublayer::SelfAttention, 1, 0, 0);
}

ParameterPlace table_place(Stack stack, const char* module) {
  return {.stack = stack, .role = ParameterRole::Table, .part = "embedding", .module = module};
}

}  // namespace

ParameterPlace tokens_place(Stack stack) {
  return table_place(stack, "embed_tokens");
}

Parameter declare_tokens(ParameterStore& store, const StackPlan& plan, int64_t vocabulary) {
  return store.declare(tokens_place(plan.stack), "weight", {vocabulary, plan.shape.width},
                       table_fill(plan, Role::Embedding));
}

Embedding::Embedding(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, WordVectors words)
    : stack_(plan.stack),
      convention_(model.positions),
      width_(model.width),
      max_positions_(model.max_positions),
      scale_(model.scale_embedding ? std::sqrt(model.width) : 1),
      dropout_(model.dropout),
      words_(std::move(words)) {
  if (convention_ == Positions::Learned) {
    learned_positions_ =
        store.declare(table_place(stack_, "embed_positions"), "weight", {max_positions_ + ops::kLearnedOffset, width_},
                      table_fill(plan, Role::Position));
  }
  if (plan.stack == Stack::Encoder && model.segments > 0) {
    segments_ = store.declare(table_place(stack_, "embed_segments"), "weight", {model.segments, width_},
                              table_fill(plan, Role::Position));
  }
  if (model.embedding_gain != EmbeddingGain::None) {
    const int64_t n = model.embedding_gain == EmbeddingGain::Vector ? width_ : 1;
    const ParameterPlace place{.stack = stack_, .part = "embedding", .module = "embedding_gain"};
    gain_ = store.declare(place, {}, {n}, {.value = 1});
  }
  if (model.layernorm_embedding) {
    norm_ = Norm(store, {.stack = stack_, .module = "layernorm_embedding"}, plan.norm, width_, plan.norm_eps);
  }
}

void Embedding::prepare(const Where& where) {
  if (convention_ == Positions::Fairseq || convention_ == Positions::Marian) {
    sinusoids_ = ops::sinusoids(convention_, max_positions_, width_, where);
  }
}

at::Tensor Embedding::operator()(const Tokens& tokens, const Pass& pass) const {
  return seen(embedded(tokens, /*first=*/0, dropout_of(pass)), pass);
}

at::Tensor Embedding::of_vectors(const at::Tensor& vectors, const ops::Packed& rows, const Pass& pass) const {
  check_length(rows.longest());
  return seen(finished(positioned(vectors, {rows, 0}), {.ids = {}, .rows = rows}, dropout_of(pass)), pass);
}

at::Tensor Embedding::step(const at::Tensor& ids, const ops::Packed& rows, int64_t position) const {
  return embedded({ids, rows}, position, {});
}

at::Tensor Embedding::embedded(const Tokens& tokens, int64_t first, const ops::Dropout& dropout) const {
  check_length(first + tokens.rows.longest());
  if (words_.bands) return finished(positioned((*words_.bands)(tokens.ids), {tokens.rows, first}), tokens, dropout);
  const bool more = segments_ || gain_ || norm_;  // between the sum and its dropout
  const at::Tensor x = ops::embedding({.table = *words_.table,
                                       .ids = tokens.ids,
                                       .scale = scale_,
                                       .positions = positions(),
                                       .first_position = first + position_zero(),
                                       .rows = tokens.rows,
                                       .dropout = more ? ops::Dropout{} : dropout});
  return more ? finished(x, tokens, dropout) : x;
}

at::Tensor Embedding::positioned(const at::Tensor& vectors, const Beginning& at) const {
  at::Tensor x = vectors * scale_;
  if (!positions().defined()) return x;
  return x + positions().index_select(0, at.rows.positions(Where(x)) + (at.first + position_zero()));
}

at::Tensor Embedding::finished(at::Tensor x, const Tokens& tokens, const ops::Dropout& dropout) const {
  if (segments_) {
    x = x + ops::embedding({.table = *segments_, .ids = tokens.segments, .rows = tokens.rows, .dropout = {}});
  }
  if (gain_) x = x * *gain_;
  if (norm_) x = norm_(x);
  return ops::dropout(x, tokens.rows, dropout);
}

at::Tensor Embedding::seen(const at::Tensor& x, const Pass& pass) const {
  if (pass.observer) pass.observer->see({.stack = stack_, .point = Tap::Point::Embed}, x);
  return x;
}

void Embedding::check_length(int64_t longest) const {
  if (longest <= max_positions_) return;
  throw UserError(
      "model.max_positions",
      "a sequence of " + std::to_string(longest) + " tokens is longer than " + std::to_string(max_positions_),
      "Shorten it, or set model.max_positions higher before training");
}

ops::Dropout Embedding::dropout_of(const Pass& pass) const {
  return pass.dropout(dropout_, DropoutKind::Embedding, stack_, Sublayer::SelfAttention, /*layer=*/0);
}

int64_t Embedding::position_zero() const {
  return learned_positions_ ? ops::kLearnedOffset : 0;
}

}  // namespace plumb
