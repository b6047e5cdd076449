#include "plumb/nn/head.h"

#include <vector>

#include <ATen/ATen.h>

#include "plumb/catalogue/initialisation.h"
#include "plumb/ops/activation.h"
#include "plumb/ops/linear.h"

namespace plumb {
namespace {

constexpr double kBertDeviation = 0.02;  // of every matrix in BERT

ParameterPlace head_place(const StackPlan& plan, const std::string& module) {
  return {.stack = plan.stack, .role = ParameterRole::Head, .module = module};
}

}  // namespace

ops::CrossEntropy ProjectionHead::cross_entropies(const at::Tensor& features, const ops::Packed&,
                                                  const Scoring& scoring, const Pass&) const {
  return ops::projected_cross_entropies(features, *words_, scoring.targets, scoring.label_smoothing, scoring.over);
}

at::Tensor ProjectionHead::logits(const at::Tensor& features) const {
  return ops::linear(features, *words_, {});
}

ops::TopWords ProjectionHead::top_words(const at::Tensor& features, int64_t count, int64_t chosen) const {
  return ops::projected_top_words(features, *words_, count, chosen);
}

MaskedHead::MaskedHead(ParameterStore& store, const StackPlan& plan, Parameter words) : ProjectionHead(words) {
  const ParameterPlace dense = head_place(plan, "lm_head.dense");
  const int64_t width = plan.shape.width;
  weight_ = store.declare(dense, "weight", {width, width}, xavier_uniform(width, width));
  bias_ = store.declare(dense, "bias", {width}, {.value = 0});
  norm_ = Norm(store, head_place(plan, "lm_head.layer_norm"), plan.norm, width, plan.norm_eps);
}

at::Tensor MaskedHead::transformed(const at::Tensor& features) const {
  const at::Tensor product = ops::linear(features, *weight_, {});
  return norm_(ops::bias_activation(Activation::Gelu, product, *bias_, ops::Packed::single_rows(product.size(0)), {}));
}

ops::CrossEntropy MaskedHead::cross_entropies(const at::Tensor& features, const ops::Packed& rows,
                                              const Scoring& scoring, const Pass& pass) const {
  return ProjectionHead::cross_entropies(transformed(features), rows, scoring, pass);
}

at::Tensor MaskedHead::logits(const at::Tensor& features) const {
  return ProjectionHead::logits(transformed(features));
}

ops::TopWords MaskedHead::top_words(const at::Tensor& features, int64_t count, int64_t chosen) const {
  return ProjectionHead::top_words(transformed(features), count, chosen);
}

SentenceHead::SentenceHead(ParameterStore& store, const StackPlan& plan, const std::string& name, int64_t classes,
                           double dropout)
    : stack_(plan.stack), dropout_(dropout) {
  const ParameterPlace pooler = head_place(plan, "pooler"), classifier = head_place(plan, name);
  const int64_t width = plan.shape.width;
  const Fill normal{.kind = Fill::Kind::Normal, .value = kBertDeviation};
  pooler_ = store.declare(pooler, "weight", {width, width}, normal);
  pooler_bias_ = store.declare(pooler, "bias", {width}, {.value = 0});
  weight_ = store.declare(classifier, "weight", {classes, width}, normal);
  bias_ = store.declare(classifier, "bias", {classes}, {.value = 0});
}

at::Tensor SentenceHead::logits(const at::Tensor& first_rows, const ops::Packed& rows, const Pass& pass) const {
  const at::Tensor pooled = ops::linear(first_rows, *pooler_, *pooler_bias_).tanh();
  const ops::Packed sequences(std::vector<int64_t>(static_cast<size_t>(rows.sequences()), 1), rows.samples());
  const ops::Dropout dropout =
      pass.dropout(dropout_, DropoutKind::Output, stack_, Sublayer::SelfAttention, /*layer=*/0);
  return ops::linear(ops::dropout(pooled, sequences, dropout), *weight_, *bias_);
}

}  // namespace plumb
