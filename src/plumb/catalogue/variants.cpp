#include "plumb/catalogue/variants.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumb/catalogue/coefficients.h"

namespace plumb {
namespace {

using enum Factor::Kind;

constexpr std::string_view kPostOrPre[] = {"post_ln", "pre_ln"};

// ---- where a row differs by stack, kind of sub-layer or layer ----

void admin_closed_at(Rule& rule, const Place& place, const VariantOptions&) {
  rule.r.value = admin_closed_omega(place.shape.sublayers(place.stack));
}

void b2t_at(Rule& rule, const Place& place, const VariantOptions&) {
  if (place.last_of_layer()) rule.alpha = 1;
}

void b2t_past_norm_at(Rule& rule, const Place& place, const VariantOptions&) {
  if (place.last_of_layer()) rule.alpha_out = 1;
}

void b2t_no_ln_at(Rule& rule, const Place& place, const VariantOptions&) {
  if (!place.last_of_layer()) return;
  const B2tScales scales = b2t_without_norm(place.depth(), place.shape.width);
  rule.alpha = scales.alpha;
  rule.beta = scales.beta;
}

void deepnorm_at(Rule& rule, const Place& place, const VariantOptions&) {
  rule.r.value = deepnorm(place.stack, place.shape).alpha;
}

// Cross-attention stays plain Pre-LN, as in the papers of NormFormer and sub-LN.
void normformer_at(Rule& rule, const Place& place, const VariantOptions& options) {
  rule.norm_out = rule.head_scale = place.sublayer == Sublayer::SelfAttention;
  rule.hidden_norm = place.sublayer == Sublayer::FeedForward;
  if (rule.hidden_norm && options.normformer_scale_resids) rule.r = {Vector, 1};
}

void sub_ln_at(Rule& rule, const Place& place, const VariantOptions&) {
  rule.heads_norm = place.sublayer == Sublayer::SelfAttention;
  rule.hidden_norm = place.sublayer == Sublayer::FeedForward;
}

void layer_scale_at(Rule& rule, const Place&, const VariantOptions& options) {
  rule.g.value = options.layer_scale_init;
}

void mix_ln_at(Rule& rule, const Place& place, const VariantOptions& options) {
  // 0.28 * 25 is a little more than 7 in binary: without the small step back it would round up to 8 layers.
  const int post_layers = static_cast<int>(std::ceil(options.mix_ln_fraction * place.depth() - 1e-9));
  rule.norm_post = place.layer <= post_layers;
  rule.norm_in = !rule.norm_post;
}

void ln_scaling_at(Rule& rule, const Place& place, const VariantOptions&) {
  rule.c_in = 1 / std::sqrt(place.layer);
}

// The norm stands after the last attention of a layer, and the feed-forward's skip starts behind it.
void hybrid_norm_at(Rule& rule, const Place& place, const VariantOptions&) {
  rule.norm_post = place.last_attention();
}

void hybrid_norm_star_at(Rule& rule, const Place& place, const VariantOptions& options) {
  if (place.layer == 1) {
    rule.norm_in = true;
  } else {
    hybrid_norm_at(rule, place, options);
  }
}

// ---- the table ----

// clang-format off
const Variant kVariants[] = {
    {.name = "post_ln", .paper = "Vaswani 2017", .equation = "LN(x + F(x))",
     .warmup = "mandatory; fails at 18-18 even with it",
     .rule = {.norm_post = true}},

    {.name = "pre_ln", .paper = "Xiong 2020", .equation = "x + F(LN(x))",
     .extra = "2d per stack", .warmup = "not needed",
     .rule = {.norm_in = true}, .ending = {.norm = true}, .final_norm_is_free = true},

    {.name = "admin", .paper = "Liu 2020", .equation = "LN(w*x + F(x)), w from one profiling pass",
     .extra = "(2N+3M)d", .warmup = "as Post-LN; RAdam in the paper",
     .rule = {.norm_post = true, .r = {Vector, 1}}, .profiled = true, .folds_into = "post_ln"},

    {.name = "admin_closed", .paper = "Liu 2022 (admin-torch)", .equation = "LN(w*x + F(x)), w = sqrt((n+1)/ln(n+1) - 1)",
     .extra = "(2N+3M)d", .warmup = "as Post-LN",
     .rule = {.norm_post = true, .r = {Vector, 1}}, .at = admin_closed_at, .folds_into = "post_ln"},

    {.name = "b2t", .paper = "Takase 2022", .equation = "LN(x + F(x)); end of layer: LN(x_bottom + x + F(x))",
     .warmup = "as Post-LN; deep models train",
     .rule = {.norm_post = true}, .at = b2t_at, .multiplier = b2t_multiplier},

    {.name = "b2t_past_norm", .paper = "Takase 2022, footnote 1", .equation = "LN(x + F(x)); end of layer: x_bottom + LN(x + F(x))",
     .warmup = "worse than B2T, the paper says",
     .rule = {.norm_post = true}, .at = b2t_past_norm_at, .multiplier = b2t_multiplier},

    {.name = "b2t_no_ln", .paper = "Takase 2022, app. D", .equation = "x + F(x); end of layer: a*x_bottom + b*(x + F(x)), a = min(L/12, L^-0.15), b = d^-0.2",
     .warmup = "as B2T",
     .at = b2t_no_ln_at, .multiplier = b2t_multiplier},

    {.name = "dlcl_pre", .paper = "Wang 2019", .equation = "x_l+1 = sum_k W_lk LN(y_k); layers Pre-LN",
     .extra = "(L+1)(L+2)/2 + 2Ld per stack", .warmup = "16k at lr 2e-3 in the paper",
     .rule = {.norm_in = true}, .ending = {.norm = true}, .wiring = WiringKind::DlclPre},

    {.name = "dlcl_post", .paper = "Wang 2019", .equation = "x_l+1 = LN(sum_k W_lk y_k); layers Post-LN",
     .extra = "(L+1)(L+2)/2 + 2Ld per stack", .warmup = "16k at lr 2e-3 in the paper",
     .rule = {.norm_post = true}, .wiring = WiringKind::DlclPost},

    {.name = "t_fixup", .paper = "Huang 2020", .equation = "x + F(x), scaled initialisation",
     .warmup = "not needed",
     .regime = Regime::B, .multiplier = t_fixup_multiplier},

    {.name = "deepnorm", .paper = "Wang 2022 (DeepNet)", .equation = "LN(a*x + F(x)), a by depth",
     .warmup = "kept",
     .rule = {.norm_post = true, .r = {Constant, 1}}, .at = deepnorm_at,
     .regime = Regime::X, .multiplier = deepnorm_multiplier, .folds_into = "post_ln"},

    {.name = "rezero", .paper = "Bachlechner 2020", .equation = "x + p*F(x), p = 0 at first, one per layer",
     .extra = "1 per layer", .warmup = "not needed",
     .rule = {.g = {LayerScalar, 0}}},

    {.name = "rezero_post_ln", .paper = "Liu 2020", .equation = "LN(x + p*F(x)), p = 0 at first, one per layer",
     .extra = "1 per layer", .warmup = "as Post-LN",
     .rule = {.norm_post = true, .g = {LayerScalar, 0}}},

    {.name = "fixup", .paper = "Zhang 2019", .equation = "x + s*F(x - b), no biases, W_O = W2 = 0 at first",
     .extra = "6 (encoder), 8 (decoder) per layer", .warmup = "kept in the official script",
     .rule = {.input_shift = true, .g = {Scalar, 1}, .hidden_shifts = true, .biases = false},
     .ending = {.shift = true, .scale = true}, .multiplier = fixup_multiplier},

    {.name = "look_linear", .paper = "Balduzzi 2017, Liu 2020", .equation = "LN(x + F(x)), FFN mirrored: linear at first",
     .warmup = "as Post-LN",
     .rule = {.norm_post = true}, .mirrored_ffn = true, .also_placed_as = kPostOrPre},

    {.name = "ds_init", .paper = "Zhang 2019 (DS-Init)", .equation = "LN(x + F(x)), weights of layer l times l^-1/2",
     .warmup = "as Post-LN",
     .rule = {.norm_post = true}, .multiplier = ds_init_multiplier, .also_placed_as = kPostOrPre},

    {.name = "sandwich", .paper = "Ding 2021 (CogView), Kim 2025 (Peri-LN)", .equation = "x + LN(F(LN(x)))",
     .extra = "2d per sub-layer", .warmup = "short",
     .rule = {.norm_in = true, .norm_out = true}, .ending = {.norm = true}, .final_norm_is_free = true},

    {.name = "residual_dual", .paper = "Xie 2023 (ResiDual)", .equation = "x = LN(x + F(x)), r = r + F(x); out = x + LN(r)",
     .extra = "2d per stack", .warmup = "kept",
     .rule = {.norm_post = true}, .ending = {.norm = true}, .wiring = WiringKind::Dual},

    {.name = "normformer", .paper = "Shleifer 2021", .equation = "x + LN(SA'(LN(x))), heads scaled; x + W2 LN(act(W1 LN(x)))",
     .extra = "2d + H + 2f per layer", .warmup = "short; higher lr",
     .rule = {.norm_in = true}, .at = normformer_at, .ending = {.norm = true}, .final_norm_is_free = true},

    {.name = "sub_ln", .paper = "Wang 2022 (Magneto)", .equation = "x + W_O LN(heads(LN(x))); x + W2 LN(act(W1 LN(x)))",
     .extra = "2d + 2f per layer", .warmup = "short",
     .rule = {.norm_in = true}, .at = sub_ln_at, .ending = {.norm = true}, .multiplier = sub_ln_multiplier,
     .final_norm_is_free = true},

    {.name = "layer_scale", .paper = "Touvron 2021 (CaiT)", .equation = "x + l*F(LN(x)), l small at first",
     .extra = "d per sub-layer", .warmup = "short",
     .rule = {.norm_in = true, .g = {Vector, 1e-4}}, .at = layer_scale_at, .ending = {.norm = true},
     .final_norm_is_free = true},

    {.name = "mix_ln", .paper = "Li 2024", .equation = "first quarter of the layers Post-LN, the rest Pre-LN",
     .warmup = "1k to 2k updates",
     .at = mix_ln_at, .ending = {.norm = true}},

    {.name = "ln_scaling", .paper = "Sun 2025 (curse of depth)", .equation = "x + F(LN(x) / sqrt(l)), l the layer",
     .warmup = "short",
     .rule = {.norm_in = true}, .at = ln_scaling_at, .ending = {.norm = true}, .multiplier = ln_scaling_multiplier,
     .final_norm_is_free = true},

    {.name = "hybrid_norm", .paper = "Zhuo 2025", .equation = "z = LN(x + SA(x)), q, k, v normed; z + FF(z)",
     .extra = "3d/H per attention", .warmup = "short; AdamW lr 3e-4",
     .rule = {.value_norm = true}, .at = hybrid_norm_at, .ending = {.norm = true}, .qk_norm = QkNorm::Head},

    {.name = "hybrid_norm_star", .paper = "Zhuo 2025", .equation = "hybrid_norm, but the first layer is Pre-LN",
     .extra = "3d/H per attention + 2d", .warmup = "short; AdamW lr 3e-4",
     .rule = {.value_norm = true}, .at = hybrid_norm_star_at, .ending = {.norm = true}, .qk_norm = QkNorm::Head},

    {.name = "olmo2", .paper = "OLMo 2024", .equation = "x + RMS(F(x)), q and k normed over the width",
     .extra = "2d per attention", .warmup = "2k updates",
     .rule = {.norm_out = true}, .ending = {.norm = true}, .norm = NormKind::Rms, .qk_norm = QkNorm::Full},

    {.name = "dyt", .paper = "Zhu 2025", .equation = "x + F(g*tanh(a*x) + b)",
     .extra = "1 per norm", .warmup = "short",
     .rule = {.norm_in = true}, .ending = {.norm = true}, .norm = NormKind::Dyt, .final_norm_is_free = true},
};
// clang-format on

}  // namespace

std::span<const Variant> variants() {
  return kVariants;
}

std::span<const std::string_view> variant_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Variant& row : kVariants) all.push_back(row.name);
    return all;
  }();
  return names;
}

const Variant* find_variant(std::string_view name) {
  const auto row = std::ranges::find(kVariants, name, &Variant::name);
  return row == std::end(kVariants) ? nullptr : row;
}

Rule rule_at(const Variant& variant, const Place& place, const VariantOptions& options) {
  Rule rule = variant.rule;
  if (variant.at) variant.at(rule, place, options);
  if (place.sublayer == Sublayer::FeedForward) {
    rule.value_norm = rule.head_scale = rule.heads_norm = false;
  } else {
    rule.hidden_norm = rule.hidden_shifts = false;
  }
  return rule;
}

Ending ending_of(const Variant& variant, Stack stack) {
  Ending ending = variant.ending;
  if (stack == Stack::Decoder) ending.scale = false;
  return ending;
}

Fill fill_of(const Variant& init, Regime regime, Role role, const Place& place, int fan_out, int fan_in,
             const VariantOptions& options, bool truncated) {
  Fill fill = base_fill(regime, role, place, fan_out, fan_in, truncated);
  if (init.multiplier) fill = fill.scaled(init.multiplier(role, place, regime, options));
  if (init.mirrored_ffn && role == Role::HiddenIn) fill.mirror = Fill::Mirror::Rows;
  if (init.mirrored_ffn && role == Role::HiddenOut) fill.mirror = Fill::Mirror::Columns;
  return fill;
}

std::string norms_in_words(const Variant& variant) {
  // A deep encoder-decoder shows every site that the row can have.
  const Shape shape{.encoder_layers = 8, .decoder_layers = 8};
  bool in = false, out = false, post = false, inner = false;
  for (int layer : {1, 8}) {
    for (Sublayer sublayer : shape.order(Stack::Decoder)) {
      const Rule rule = rule_at(variant, {Stack::Decoder, sublayer, layer, shape}, {});
      in |= rule.norm_in;
      out |= rule.norm_out;
      post |= rule.norm_post;
      inner |= rule.heads_norm || rule.hidden_norm || rule.value_norm;
    }
  }
  std::string words;
  const auto add = [&](bool there, std::string_view word) {
    if (there) words += (words.empty() ? "" : " + ") + std::string(word);
  };
  add(in, "in");
  add(out, "out");
  add(post, "post");
  add(inner, "inner");
  add(variant.wiring == WiringKind::DlclPre || variant.wiring == WiringKind::DlclPost, "history");
  add(variant.qk_norm != QkNorm::None, "q,k");
  add(variant.ending.norm, "final");
  return words.empty() ? "none" : words;
}

}  // namespace plumb
