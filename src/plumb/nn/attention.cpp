#include "plumb/nn/attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>

#include "plumb/catalogue/norms.h"
#include "plumb/ops/norm.h"
#include "plumb/ops/split_columns.h"

namespace plumb {

Attention::Attention(ParameterStore& store, const StackPlan& plan, Sublayer sublayer, int layer, double dropout,
                     int length)
    : stack_(plan.stack),
      sublayer_(sublayer),
      layer_(layer),
      width_(plan.shape.width),
      heads_(plan.shape.heads),
      qk_norm_(plan.qk_norm),
      dropout_(dropout),
      // The learned scale of l2 takes the place of 1 / sqrt(K).
      scale_(plan.qk_norm == QkNorm::L2 ? 1 : 1 / std::sqrt(static_cast<double>(plan.shape.width / plan.shape.heads))) {
  const Rule rule = plan.rule(sublayer, layer + 1);
  const std::string module(word(sublayer));
  const ParameterPlace place{plan.stack, layer, sublayer, ParameterRole::Factor, word(sublayer), module};
  const Linear::Part q{module + ".q_proj", Role::Query, Role::QueryBias};
  const Linear::Part k{module + ".k_proj", Role::Key, Role::KeyBias};
  const Linear::Part v{module + ".v_proj", Role::Value, Role::ValueBias};
  const Linear::Part out{module + ".out_proj", Role::AttentionOutput, Role::AttentionOutputBias};
  const auto linear = [&](const std::vector<Linear::Part>& parts) {
    return Linear(store, plan, sublayer, layer, parts, width_, width_, rule.biases);
  };
  if (sublayer == Sublayer::SelfAttention) {
    qkv_ = linear({q, k, v});
  } else {
    q_ = linear({q});
    kv_ = linear({k, v});
  }
  if (plan.output_projection()) out_ = linear({out});

  const auto rms = [&](const char* inner, int64_t width) {
    return Norm(store, place.inside(inner), NormKind::Rms, width, norm_row(NormKind::Rms).eps);
  };
  const int64_t head_width = width_ / heads_;
  if (qk_norm_ == QkNorm::Head || qk_norm_ == QkNorm::Full) {
    const int64_t normed = qk_norm_ == QkNorm::Head ? head_width : width_;
    q_norm_ = rms("q_norm", normed);
    k_norm_ = rms("k_norm", normed);
  }
  if (qk_norm_ == QkNorm::L2) {
    const double pairs = static_cast<double>(length) * (length - 1);
    qk_scale_ = store.declare(place.inside("qk_scale"), {}, {1}, {.value = std::log2(pairs)});
  }
  if (rule.value_norm) v_norm_ = rms("v_norm", head_width);
  if (rule.head_scale) head_scale_ = store.declare(place.inside("c_attn"), {}, {heads_}, {.value = 1});
  if (rule.heads_norm) heads_norm_ = Norm(store, place.inside("inner_attn_ln"), plan.norm, width_, plan.norm_eps);
}

Projected Attention::self(const at::Tensor& u, const ops::Packed& rows, const Pass& pass) const {
  const auto [qkv, skip] = qkv_.and_skip(u);
  const ops::AttentionTerms t = terms(rows, rows, /*causal=*/stack_ == Stack::Decoder, pass);
  if (!norms_inputs()) {
    return finish(ops::attention({qkv, 0, width_}, {qkv, width_, width_}, {qkv, 2 * width_, width_}, t), skip);
  }
  const std::vector<at::Tensor> parts = ops::split_columns(qkv, 3);
  return finish(ops::attention(ready_query(parts[0]), ready_key(parts[1]), ready_value(parts[2]), t), skip);
}

Projected Attention::cross(const at::Tensor& u, const ops::Packed& rows, const at::Tensor& memory,
                           const ops::Packed& memory_rows, const Pass& pass) const {
  const auto [q, skip] = q_.and_skip(u);
  const at::Tensor kv = kv_(memory);
  const ops::AttentionTerms t = terms(rows, memory_rows, /*causal=*/false, pass);
  if (!norms_inputs()) return finish(ops::attention(q, {kv, 0, width_}, {kv, width_, width_}, t), skip);
  const std::vector<at::Tensor> parts = ops::split_columns(kv, 2);
  return finish(ops::attention(ready_query(q), ready_key(parts[0]), ready_value(parts[1]), t), skip);
}

ops::AttentionTerms Attention::terms(const ops::Packed& rows, const ops::Packed& key_rows, bool causal,
                                     const Pass& pass) const {
  return {.queries = rows,
          .keys = key_rows,
          .heads = heads_,
          .scale = scale_,
          .causal = causal,
          .dropout = pass.dropout(dropout_, DropoutKind::Attention, stack_, sublayer_, layer_)};
}

at::Tensor Attention::per_head(const at::Tensor& x) const {
  return x.reshape({x.size(0), heads_, width_ / heads_});
}

at::Tensor Attention::ready_query(const at::Tensor& q) const {
  switch (qk_norm_) {
    case QkNorm::None:
      return q;
    case QkNorm::Head:
      return q_norm_(per_head(q)).flatten(1);
    case QkNorm::Full:
      return q_norm_(q);
    case QkNorm::L2:
      return (ops::unit_length(per_head(q)) * *qk_scale_).flatten(1);
  }
  TORCH_CHECK(false, "unknown query-key norm");
}

at::Tensor Attention::ready_key(const at::Tensor& k) const {
  switch (qk_norm_) {
    case QkNorm::None:
      return k;
    case QkNorm::Head:
      return k_norm_(per_head(k)).flatten(1);
    case QkNorm::Full:
      return k_norm_(k);
    case QkNorm::L2:
      return ops::unit_length(per_head(k)).flatten(1);
  }
  TORCH_CHECK(false, "unknown query-key norm");
}

at::Tensor Attention::ready_value(const at::Tensor& v) const {
  return v_norm_ ? v_norm_(per_head(v)).flatten(1) : v;
}

Projected Attention::finish(at::Tensor y, const at::Tensor& skip) const {
  if (head_scale_) y = (per_head(y) * head_scale_->unsqueeze(1)).flatten(1);
  if (heads_norm_) y = heads_norm_(y);
  Projected result = out_ ? out_.project(y) : Projected{y};
  result.skip = skip;
  return result;
}

Projected Attention::self_step(const at::Tensor& u, ops::History& history, const ops::Ancestry& ancestry) const {
  const at::Tensor qkv = qkv_(u);
  const ops::Columns q(qkv, 0, width_), k(qkv, width_, width_), v(qkv, 2 * width_, width_);
  const bool plain = !norms_inputs();
  // What the projection made is the cache: nothing is copied.
  history.keys.push_back(plain ? k : ready_key(k.view()));
  history.values.push_back(plain ? v : ready_value(v.view()).contiguous());
  return finish(ops::attention_history(plain ? q : ready_query(q.view()), history, ancestry, heads_, scale_));
}

MemoryCache Attention::remember(const at::Tensor& memory) const {
  const at::Tensor kv = kv_(memory);
  if (!norms_inputs()) return {.keys_and_values = kv, .keys = {}, .values = {}};
  const std::vector<at::Tensor> parts = ops::split_columns(kv, 2);
  return {.keys_and_values = {}, .keys = ready_key(parts[0]), .values = ready_value(parts[1])};
}

Projected Attention::cross_step(const at::Tensor& u, const MemoryCache& memory,
                                const ops::AttentionTerms& readers) const {
  ops::AttentionTerms t = readers;
  t.heads = heads_;
  t.scale = scale_;
  const at::Tensor& kv = memory.keys_and_values;
  if (kv.defined()) return finish(ops::attention(q_(u), {kv, 0, width_}, {kv, width_, width_}, t));
  return finish(ops::attention(ready_query(q_(u)), memory.keys, memory.values, t));
}

}  // namespace plumb
