#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plumb/catalogue/initialisation.h"
#include "plumb/catalogue/rule.h"
#include "plumb/catalogue/terms.h"

namespace plumb {

/// Numbers that some rows leave to the user. The config has them as keys of `[model]`, and walks this list for them.
struct VariantOptions {
  B2tRescale b2t_rescale = B2tRescale::None;
  double mix_ln_fraction = 0.25;
  double ds_init_exponent = 0.5;
  double layer_scale_init = 1e-4;
  double residual_dual_scale = 1;
  bool normformer_scale_resids = false;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("b2t_rescale", c.b2t_rescale, "b2t: none (the 2022 paper), or depth: layer weights times L^-1/2");
    visit("mix_ln_fraction", c.mix_ln_fraction, "mix_ln: share of the layers that are Post-LN");
    visit("ds_init_exponent", c.ds_init_exponent, "ds_init: layer l times l^-exponent (paper 0.5, its code 0.25)");
    visit("layer_scale_init", c.layer_scale_init, "layer_scale: first value of the branch scale");
    visit("residual_dual_scale", c.residual_dual_scale, "residual_dual: scale of the second stream");
    visit("normformer_scale_resids", c.normformer_scale_resids, "normformer: learn the skip of the FFN as well");
  }
};

/// A way to wire residuals and norms, and the initialisation that belongs to it: one row of THE table.
///
/// `rule` holds for every sub-layer; where the variant differs by stack, kind of sub-layer or layer, `at` changes the
/// copy that the place gets. Nothing outside catalogue/ and residual/ asks which variant it is dealing with.
struct Variant {
  std::string_view name;
  std::string_view paper;
  std::string_view equation;
  std::string_view extra = "none";  // parameters beyond those of Post-LN without its norms
  std::string_view warmup;          // one note on the schedule
  Rule rule = {};
  void (*at)(Rule& rule, const Place& place, const VariantOptions& options) = nullptr;
  Ending ending = {};
  WiringKind wiring = WiringKind::Chain;
  bool profiled = false;  // r is set by a pass over one batch before training (Admin)
  NormKind norm = NormKind::Layer;
  QkNorm qk_norm = QkNorm::None;
  Regime regime = Regime::A;
  double (*multiplier)(Role role, const Place& place, Regime regime, const VariantOptions& options) = nullptr;
  bool mirrored_ffn = false;
  /// Placements of other rows that the initialisation of this one was made for as well; its own always is.
  std::span<const std::string_view> also_placed_as = {};
  /// The row that computes the same function once the skip scales are folded into its weights (nn/fold.h).
  std::string_view folds_into = {};
  /// Whether `final_norm` may differ from the row's own: norm-free rows must stay norm-free.
  bool final_norm_is_free = false;
};

/// Every row, in the order in which they are listed.
std::span<const Variant> variants();
std::span<const std::string_view> variant_names();

/// The row of that name, or nullptr.
const Variant* find_variant(std::string_view name);

/// What the row says about one sub-layer.
Rule rule_at(const Variant& variant, const Place& place, const VariantOptions& options);

/// What the row says about the end of a stack.
Ending ending_of(const Variant& variant, Stack stack);

/// How a weight starts: the base regime times the multiplier of the row.
Fill fill_of(const Variant& init, Regime regime, Role role, const Place& place, int fan_out, int fan_in,
             const VariantOptions& options, bool truncated);

/// The norms of a row in words ("in + final", "post"), read off the rule.
std::string norms_in_words(const Variant& variant);

/// omega of admin-torch, which needs no profiling: sqrt((n + 1) / ln(n + 1) - 1) for n residual sub-layers.
double admin_closed_omega(int sublayers);

/// The skip and branch scales of DeepNorm.
struct DeepNorm {
  double alpha, beta;
};
DeepNorm deepnorm(Stack stack, const Shape& shape);

/// The layer-end scales of B2T without LayerNorm.
struct B2tScales {
  double alpha, beta;
};
B2tScales b2t_without_norm(int layers, int width);

/// gamma of sub-LN (Magneto).
double sub_ln_gain(Stack stack, const Shape& shape);

}  // namespace plumb
