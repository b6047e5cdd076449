#include "plumb/config/stack_plan.h"

#include "plumb/catalogue/norms.h"

namespace plumb {
namespace {

const Variant* row_or(const std::string& name, const Variant* fallback) {
  return name.empty() ? fallback : find_variant(name);
}

}  // namespace

const Variant& variant_of(const ModelConfig& model, Stack stack) {
  const std::string& own = stack == Stack::Encoder ? model.encoder_variant : model.decoder_variant;
  return *find_variant(own.empty() ? model.variant : own);
}

StackPlan stack_plan(const ModelConfig& model, Stack stack) {
  const Variant* variant = &variant_of(model, stack);
  const Variant* placement = row_or(model.placement, variant);
  const Variant* init = model.init_multipliers == "none" ? nullptr : row_or(model.init_multipliers, variant);
  const NormKind norm = model.norm.value_or(variant->norm);
  return {.stack = stack,
          .placement = placement,
          .init = init,
          .regime = model.init.value_or(variant->regime),
          .norm = norm,
          .norm_eps = model.norm_eps > 0 ? model.norm_eps : norm_row(norm).eps,
          .qk_norm = model.qk_norm.value_or(placement->qk_norm),
          .final_norm = model.final_norm.value_or(placement->ending.norm),
          .shape = model.shape(),
          .options = model.options,
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
