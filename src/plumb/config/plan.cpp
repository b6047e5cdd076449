#include "plumb/config/plan.h"

namespace plumb {
namespace {

const Variant* row_or(const std::string& name, const Variant* fallback) {
  return name.empty() ? fallback : find_variant(name);
}

}  // namespace

Shape ModelConfig::shape() const {
  return {.form = form,
          .encoder_layers = encoder_layers,
          .decoder_layers = decoder_layers,
          .width = width,
          .ffn_width = ffn_width,
          .heads = heads};
}

VariantOptions ModelConfig::options() const {
  return {.b2t_rescale = b2t_rescale,
          .mix_ln_fraction = mix_ln_fraction,
          .ds_init_exponent = ds_init_exponent,
          .layer_scale_init = layer_scale_init,
          .residual_dual_scale = residual_dual_scale,
          .normformer_scale_resids = normformer_scale_resids,
          .share_all_embeddings = share_all_embeddings};
}

double default_eps(NormKind kind) {
  return kind == NormKind::Rms ? 1e-6 : 1e-5;
}

StackPlan plan(const ModelConfig& model, Stack stack) {
  const std::string& own = stack == Stack::Encoder ? model.encoder_variant : model.decoder_variant;
  const Variant* variant = row_or(own, find_variant(model.variant));
  const Variant* placement = row_or(model.placement, variant);
  const Variant* init = model.init_multipliers == "none" ? nullptr : row_or(model.init_multipliers, variant);
  const NormKind norm = model.norm.value_or(variant->norm);
  return {.stack = stack,
          .placement = placement,
          .init = init,
          .regime = model.init.value_or(variant->regime),
          .norm = norm,
          .norm_eps = model.norm_eps > 0 ? model.norm_eps : default_eps(norm),
          .qk_norm = model.qk_norm.value_or(placement->qk_norm),
          .final_norm = model.final_norm.value_or(placement->ending.norm),
          .shape = model.shape(),
          .options = model.options(),
          .truncated = model.init_truncated};
}

Rule StackPlan::rule(Sublayer sublayer, int layer) const {
  return rule_at(*placement, {stack, sublayer, layer, shape}, options);
}

Fill StackPlan::fill(Role role, Sublayer sublayer, int layer, int fan_out, int fan_in) const {
  const Place place{stack, sublayer, layer, shape};
  if (!init) return base_fill(regime, role, place, fan_out, fan_in, truncated);
  return fill_of(*init, regime, role, place, fan_out, fan_in, options, truncated);
}

}  // namespace plumb
