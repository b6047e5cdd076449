#pragma once

#include "plumb/config/config.h"

namespace plumb {

/// What the keys of one stack come to, after a row's presets and the keys that override them.
struct StackPlan {
  Stack stack;
  const Variant* placement;  // where norms sit and skips go
  const Variant* init;       // whose multipliers apply; nullptr: none
  Regime regime;
  NormKind norm;
  double norm_eps;
  QkNorm qk_norm;
  bool final_norm;
  Shape shape;
  VariantOptions options;
  bool truncated;

  /// Regime T, the papers' theory, has no W_O at all.
  bool output_projection() const { return regime != Regime::T; }
  Rule rule(Sublayer sublayer, int layer) const;  // layer counts from 1
  Fill fill(Role role, Sublayer sublayer, int layer, int fan_out, int fan_in) const;
};

/// The names in `model` must be rows of the table (config/check.cpp sees to it).
StackPlan stack_plan(const ModelConfig& model, Stack stack);

/// The row that `model.variant`, or the key of this stack alone, names.
const Variant& variant_of(const ModelConfig& model, Stack stack);

}  // namespace plumb
