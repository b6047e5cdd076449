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

}  // namespace

Parameter declare_tokens(ParameterStore& store, const StackPlan& plan, int64_t vocabulary) {
  const std::string name = std::string(word(plan.stack)) + ".embed_tokens.weight";
  return store.declare({name, {vocabulary, plan.shape.width}, table_fill(plan, Role::Embedding)});
}

Embedding::Embedding(ParameterStore& store, const ModelConfig& model, const StackPlan& plan, Parameter tokens)
    : stack_(plan.stack),
      convention_(model.positions),
      width_(model.width),
      max_positions_(model.max_positions),
      scale_(model.scale_embedding ? std::sqrt(model.width) : 1),
      dropout_(model.dropout),
      tokens_(tokens) {
  const std::string stack(word(plan.stack));
  if (convention_ == Positions::Learned) {
    learned_positions_ = store.declare({stack + ".embed_positions.weight",
                                        {max_positions_ + ops::kLearnedOffset, width_},
                                        table_fill(plan, Role::Position)});
  }
  if (model.embedding_gain != EmbeddingGain::None) {
    const int64_t n = model.embedding_gain == EmbeddingGain::Vector ? width_ : 1;
    gain_ = store.declare({stack + ".embedding_gain", {n}, {.value = 1}});
  }
  if (model.layernorm_embedding) {
    norm_ = Norm(store, stack + ".layernorm_embedding", plan.norm, width_, plan.norm_eps);
  }
}

void Embedding::prepare(at::ScalarType dtype) {
  if (convention_ == Positions::Fairseq || convention_ == Positions::Marian) {
    sinusoids_ = ops::sinusoids(convention_, max_positions_, width_, dtype);
  }
}

at::Tensor Embedding::operator()(const at::Tensor& ids, const ops::Packed& rows, const Pass& pass) const {
  const at::Tensor x =
      embedded(ids, rows, /*first=*/0,
               pass.dropout(dropout_, DropoutKind::Embedding, stack_, Sublayer::SelfAttention, /*layer=*/0));
  if (pass.observer) pass.observer->see({.stack = stack_, .point = Tap::Point::Embed}, x);
  return x;
}

at::Tensor Embedding::step(const at::Tensor& ids, const ops::Packed& rows, int64_t position) const {
  return embedded(ids, rows, position, {});
}

at::Tensor Embedding::embedded(const at::Tensor& ids, const ops::Packed& rows, int64_t first,
                               const ops::Dropout& dropout) const {
  const int64_t longest = first + rows.longest();
  if (longest > max_positions_) {
    throw UserError(
        "model.max_positions",
        "a sequence of " + std::to_string(longest) + " tokens is longer than " + std::to_string(max_positions_),
        "Shorten it, or set model.max_positions higher before training");
  }
  const bool more = gain_ || norm_;  // between the sum and its dropout
  ops::EmbeddingTerms terms{.table = *tokens_,
                            .ids = ids,
                            .scale = scale_,
                            .positions = learned_positions_ ? *learned_positions_ : sinusoids_,
                            .first_position = first + (learned_positions_ ? ops::kLearnedOffset : 0),
                            .rows = rows,
                            .dropout = more ? ops::Dropout{} : dropout};
  at::Tensor x = ops::embedding(terms);
  if (!more) return x;
  if (gain_) x = x * *gain_;
  if (norm_) x = norm_(x);
  return ops::dropout(x, rows, dropout);
}

}  // namespace plumb
