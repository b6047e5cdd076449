// The formulas behind the rows: numbers that depend on depth, width and role (mathematics.md 3.4 - 4.13).

#include "plumb/catalogue/coefficients.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumb/catalogue/variants.h"

namespace plumb {
namespace {

bool is_qk(Role role) {
  return role == Role::Query || role == Role::Key;
}

bool is_layer_weight(Role role) {
  return is_qk(role) || role == Role::Value || role == Role::AttentionOutput || role == Role::HiddenIn ||
         role == Role::HiddenOut;
}

// V, O, 1, 2: the matrices on the path of values, which most rules scale while the attention logits keep theirs.
bool is_value_path(Role role) {
  return is_layer_weight(role) && !is_qk(role);
}

// Regimes A to C draw W_V with a gain of 1/sqrt(2), the legacy of a fused [3d, d] matrix.
bool has_fused_gain(Regime regime) {
  return regime == Regime::A || regime == Regime::B || regime == Regime::C;
}

int residual_blocks(const Shape& shape) {
  int blocks = 0;
  for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
    if (shape.has(stack)) blocks += shape.sublayers(stack);
  }
  return blocks;
}

}  // namespace

double admin_closed_omega(int sublayers) {
  const double n = sublayers + 1.0;
  return std::sqrt(n / std::log(n) - 1);
}

DeepNorm deepnorm(Stack stack, const Shape& shape) {
  const double n = shape.encoder_layers, m = shape.decoder_layers;
  if (shape.form != Form::EncoderDecoder) {
    const double layers = shape.layers(stack);
    return {std::pow(2 * layers, 0.25), std::pow(8 * layers, -0.25)};
  }
  if (stack == Stack::Decoder) return {std::pow(3 * m, 0.25), std::pow(12 * m, -0.25)};
  const double both = std::pow(std::pow(n, 4) * m, 1.0 / 16);
  return {0.81 * both, 0.87 / both};
}

B2tScales b2t_without_norm(int layers, int width) {
  const double l = layers;
  return {std::min(l / 12, std::pow(l, -0.15)), std::pow(width, -0.2)};
}

double sub_ln_gain(Stack stack, const Shape& shape) {
  const double n = shape.encoder_layers, m = shape.decoder_layers;
  if (shape.form != Form::EncoderDecoder) return std::sqrt(std::log(2.0 * shape.layers(stack)));
  if (stack == Stack::Decoder) return std::sqrt(std::log(3 * m));
  return std::sqrt(std::log(3 * m) * std::log(2 * n) / 3);
}

double t_fixup_multiplier(Role role, const Place& place, Regime regime, const VariantOptions&) {
  const double depth = place.depth();
  if (role == Role::Embedding) {
    // A shared embedding is scaled once, as the encoder's.
    const double scaled_by =
        place.shape.shared_embeddings && place.shape.has(Stack::Encoder) ? place.shape.encoder_layers : depth;
    return std::pow(9 * scaled_by, -0.25);
  }
  if (!is_value_path(role)) return 1;
  const double scale = place.stack == Stack::Encoder ? 0.67 * std::pow(depth, -0.25) : std::pow(9 * depth, -0.25);
  return role == Role::Value && has_fused_gain(regime) ? std::numbers::sqrt2 * scale : scale;
}

double deepnorm_multiplier(Role role, const Place& place, Regime, const VariantOptions&) {
  return is_value_path(role) ? deepnorm(place.stack, place.shape).beta : 1;
}

double b2t_multiplier(Role role, const Place& place, Regime, const VariantOptions& options) {
  const bool rescale = options.b2t_rescale == B2tRescale::Depth && is_layer_weight(role);
  return rescale ? 1 / std::sqrt(place.depth()) : 1;
}

double ds_init_multiplier(Role role, const Place& place, Regime, const VariantOptions& options) {
  return is_layer_weight(role) ? std::pow(place.layer, -options.ds_init_exponent) : 1;
}

// torchscale leaves cross-attention alone: it has no inner norm either.
double sub_ln_multiplier(Role role, const Place& place, Regime, const VariantOptions&) {
  if (!is_value_path(role) || place.sublayer == Sublayer::CrossAttention) return 1;
  return sub_ln_gain(place.stack, place.shape);
}

// The official code gives cross-attention 12 blocks whatever the depth; like bzhangGo/zero we count all of them.
double fixup_multiplier(Role role, const Place& place, Regime, const VariantOptions&) {
  const double blocks = residual_blocks(place.shape);
  switch (role) {
    case Role::Query:
    case Role::Key:
    case Role::Value:
      return std::pow(blocks, -1.0 / 6);
    case Role::HiddenIn:
      return 1 / std::sqrt(blocks);
    case Role::AttentionOutput:
    case Role::HiddenOut:
    case Role::OutputProjection:
      return 0;
    default:
      return 1;
  }
}

// Depth-scaled output matrices would cancel what LayerNorm scaling is for: regime G loses its 1/sqrt(2L) here.
double ln_scaling_multiplier(Role role, const Place& place, Regime regime, const VariantOptions&) {
  const bool writes = role == Role::AttentionOutput || role == Role::HiddenOut;
  return regime == Regime::G && writes ? std::sqrt(2.0 * place.depth()) : 1;
}

}  // namespace plumb
