// The parts of a layer that the residual equations in layer.cpp are made of.
#include "oracle/attention.h"
#include "oracle/feed_forward.h"
#include "oracle/layer.h"
#include "oracle/norm.h"

namespace oracle {

Matrix Layer::branch(const std::string& sublayer, const Matrix& u) const {
  if (sublayer != "ffn") return attention_branch(sublayer, u);
  const std::string& v = stack_.variant;
  FeedForwardOptions options;
  options.biases = v != "fixup";
  options.inner_norm = v == "normformer" || v == "sub_ln";
  options.fixup_shifts = v == "fixup";
  options.norm_kind = stack_.norm_kind;
  return feed_forward(context_, prefix_, u, options);
}

Matrix Layer::attention_branch(const std::string& sublayer, const Matrix& u) const {
  const std::string& v = stack_.variant;
  const bool cross = sublayer == "encoder_attn";
  AttentionOptions options;
  options.causal = cross ? context_.is(Bug::CrossAttentionCausal) : stack_.causal;
  options.biases = v != "fixup";
  options.qk_norm = stack_.qk_norm;
  options.value_norm = v == "hybrid_norm" || v == "hybrid_norm_star";
  options.norm_kind = stack_.norm_kind;
  // 4.5 and 4.6 change the self-attention only.
  options.head_scale = v == "normformer" && !cross;
  const bool inner_norm =
      cross ? context_.is(Bug::SubLnInnerNormInCrossAttention) : !context_.is(Bug::SubLnInnerNormMissing);
  if (v == "sub_ln" && inner_norm) options.inner_norm = prefix_ + ".self_attn.inner_attn_ln";

  Matrix memory = cross ? *memory_ : u;
  const std::string cross_norm = prefix_ + ".encoder_attn_layer_norm";
  if (cross && context_.is(Bug::MemoryNormalisedTwice) && context_.weights.has(cross_norm + ".weight")) {
    memory = normalise(context_, stack_.norm_kind, cross_norm, memory);
  }
  if (cross && context_.is(Bug::AdminFoldCrossAttentionV) && (v == "admin" || v == "admin_closed")) {
    options.value_divisor = &parameter("encoder_attn_skip_scale", context_.width());
  }
  return attention(context_, prefix_ + "." + sublayer, u, memory, options);
}

// The names follow fairseq, where the norm of the feed-forward sub-layer is the layer's final one.
Matrix Layer::norm(const std::string& sublayer, const Matrix& x) const {
  const std::string stem = sublayer == "ffn" ? "final" : sublayer;
  return normalise(context_, stack_.norm_kind, prefix_ + "." + stem + "_layer_norm", x);
}

Matrix Layer::output_norm(const std::string& sublayer, const Matrix& x) const {
  const std::string stem = sublayer == "ffn" ? "final" : sublayer;
  return normalise(context_, stack_.norm_kind, prefix_ + "." + stem + "_output_layer_norm", x);
}

Matrix Layer::norm_in(const std::string& sublayer, const Matrix& x) const {
  if (sublayer == "encoder_attn" && context_.is(Bug::CrossAttentionQueryNotNormalised)) return x;
  return norm(sublayer, x);
}

const Matrix& Layer::pre_ln_skip(const Matrix& x, const Matrix& u) const {
  return context_.is(Bug::SkipAfterNorm) ? u : x;
}

const Matrix& Layer::b2t_bottom(const Matrix& x, const Matrix& sublayer_input, const Matrix& previous_input) const {
  if (context_.is(Bug::B2tPreviousLayerInput)) return previous_input;
  if (context_.is(Bug::B2tSublayerInput)) return sublayer_input;
  return x;
}

const Row& Layer::parameter(const std::string& name, std::size_t size) const {
  return context_.weights.at(prefix_ + "." + name, size);
}

}  // namespace oracle
