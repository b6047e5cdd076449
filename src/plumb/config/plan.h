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
StackPlan plan(const ModelConfig& model, Stack stack);

/// The epsilon that belongs to a kind of norm: 1e-5 for LayerNorm and ScaleNorm's floor, 1e-6 for RMSNorm.
double default_eps(NormKind kind);

}  // namespace plumb
