// What the rows of the tables demand of the other keys. Everything here is decided by a row's data, never its name.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/config/check.h"
#include "plumb/config/field_text.h"
#include "plumb/config/stack_plan.h"
#include "plumb/config/suggestion.h"

namespace plumb {
namespace {

using RowCheck = void (*)(const ModelConfig& model, const Sources& sources);
using Names = std::vector<std::string_view>;

bool sets_weights(const Variant& row) {
  return row.multiplier || row.mirrored_ffn;
}

template <class Test>
Names rows_that(Test&& test) {
  Names names;
  for (const Variant& row : variants()) {
    if (test(row)) names.push_back(row.name);
  }
  return names;
}

void names_are_rows(const ModelConfig& m, const Sources& sources) {
  struct Named {
    std::string_view key;
    const std::string& name;
    bool may_be_empty = true;
    bool may_be_none = false;
  };
  const Named keys[] = {{"model.variant", m.variant, false},
                        {"model.encoder_variant", m.encoder_variant},
                        {"model.decoder_variant", m.decoder_variant},
                        {"model.placement", m.placement},
                        {"model.init_multipliers", m.init_multipliers, true, true}};
  for (const Named& key : keys) {
    if ((key.may_be_empty && key.name.empty()) || (key.may_be_none && key.name == "none")) continue;
    if (find_variant(key.name)) continue;
    throw UserError(sources.where(key.key), fmt::format("there is no variant {}", quoted(key.name)),
                    did_you_mean(key.name, variant_names()) + "`plumb list variants` shows every name");
  }
}

void stack_variants_have_their_stack(const ModelConfig& m, const Sources& sources) {
  for (const Stack stack : {Stack::Encoder, Stack::Decoder}) {
    const bool encoder = stack == Stack::Encoder;
    if (m.shape().has(stack) || (encoder ? m.encoder_variant : m.decoder_variant).empty()) continue;
    const std::string_view other = word(encoder ? Stack::Decoder : Stack::Encoder);
    throw UserError(sources.where(encoder ? "model.encoder_variant" : "model.decoder_variant"),
                    fmt::format("form {} has no {}, so this key has no effect", quoted(word(m.form)), word(stack)),
                    fmt::format("Use model.variant or model.{}_variant", other));
  }
}

void placement_fits_the_variant(const ModelConfig& m, const Sources& sources) {
  if (m.placement.empty()) return;
  for (const Stack stack : m.shape().stacks()) {
    const Variant& row = variant_of(m, stack);
    const auto also = row.also_placed_as;
    if (m.placement == row.name || std::ranges::find(also, m.placement) != also.end()) continue;
    const std::string kept = also.empty() ? "" : fmt::format(" or use {}", fmt::join(also, " or "));
    // What the row does to the weights can be had without its placement; what it does to the skips cannot.
    const std::string weights = sets_weights(row) ? fmt::format(" with init_multipliers = {}", quoted(row.name)) : "";
    throw UserError(
        sources.where(sources.latest({"model.placement", "model.variant"})),
        fmt::format("{} needs its own placement, {} (norms: {}), and cannot be placed as {}", row.name, row.equation,
                    norms_in_words(row), m.placement),
        fmt::format("Remove model.placement{}, or choose variant = {}{}", kept, quoted(m.placement), weights));
  }
}

void multipliers_come_from_a_row_that_has_some(const ModelConfig& m, const Sources& sources) {
  const Variant* row = find_variant(m.init_multipliers);
  if (!row || sets_weights(*row)) return;
  // A profiled row sets its skips, which only its own placement has: naming itself is the default said aloud.
  const auto is_own = [&](Stack stack) { return &variant_of(m, stack) == row; };
  if (row->profiled && std::ranges::all_of(m.shape().stacks(), is_own)) return;
  throw UserError(sources.where("model.init_multipliers"),
                  fmt::format("{} has no initial scales of its own", row->name),
                  fmt::format("Choose none, or one of {}", fmt::join(rows_that(sets_weights), ", ")));
}

void final_norm_is_allowed(const ModelConfig& m, const Sources& sources) {
  if (!m.final_norm) return;
  for (const Stack stack : m.shape().stacks()) {
    const Variant& row = *stack_plan(m, stack).placement;
    if (row.final_norm_is_free || *m.final_norm == row.ending.norm) continue;
    throw UserError(sources.where(sources.latest({"model.final_norm", "model.variant"})),
                    row.ending.norm ? fmt::format("the final norm is part of {} and cannot be left out", row.name)
                                    : fmt::format("{} must not have a final norm", row.name),
                    "Remove model.final_norm; each variant brings its own ending");
  }
}

void shared_embeddings_are_equal(const ModelConfig& m, const Sources& sources) {
  if (!m.share_all_embeddings) return;
  if (m.form != Form::EncoderDecoder) {
    throw UserError(sources.where(sources.latest({"model.share_all_embeddings", "model.form"})),
                    fmt::format("form {} has one embedding only", quoted(word(m.form))),
                    "Use model.share_decoder_input_output_embed to tie the output to it");
  }
  if (m.source_vocab == m.target_vocab) return;
  throw UserError(
      sources.where(sources.latest({"model.share_all_embeddings", "model.source_vocab", "model.target_vocab"})),
      fmt::format("one matrix cannot serve source_vocab {} and target_vocab {}", m.source_vocab, m.target_vocab),
      "Make them equal, or set share_all_embeddings = false");
}

void theory_matrices_are_square(const ModelConfig& m, const Sources& sources) {
  for (const Stack stack : m.shape().stacks()) {
    if (stack_plan(m, stack).regime != Regime::T || m.ffn_width == m.width) continue;
    throw UserError(sources.where(sources.latest({"model.init", "model.ffn_width", "model.width"})),
                    fmt::format("init \"T\" has a square feed-forward part, but ffn_width {} is not width {}",
                                m.ffn_width, m.width),
                    fmt::format("Set model.ffn_width = {}, or choose another init", m.width));
  }
}

void mirrored_feed_forward_has_halves(const ModelConfig& m, const Sources& sources) {
  for (const Stack stack : m.shape().stacks()) {
    const Variant* init = stack_plan(m, stack).init;
    if (!init || !init->mirrored_ffn || m.ffn_width % 2 == 0) continue;
    throw UserError(sources.where(sources.latest({"model.ffn_width", "model.init_multipliers", "model.variant"})),
                    fmt::format("{} mirrors one half of the feed-forward part in the other, but ffn_width {} is odd",
                                init->name, m.ffn_width),
                    fmt::format("Use ffn_width {}", m.ffn_width + 1));
  }
}

// Whether the key changes what the row multiplies any weight by; asked of a sample, so that rows need no flag for it.
bool reads_b2t_rescale(const Variant& row) {
  if (!row.multiplier) return false;
  const Place place{.layer = 2, .shape = {.encoder_layers = 4, .decoder_layers = 4}};
  for (size_t i = 0; i < words<Role>().size(); ++i) {
    const auto multiplier = [&](B2tRescale rescale) {
      return row.multiplier(static_cast<Role>(i), place, row.regime, VariantOptions{.b2t_rescale = rescale});
    };
    if (multiplier(B2tRescale::Depth) != multiplier(B2tRescale::None)) return true;
  }
  return false;
}

void rescale_is_read(const ModelConfig& m, const Sources& sources) {
  if (m.options.b2t_rescale == B2tRescale::None) return;
  for (const Stack stack : m.shape().stacks()) {
    const Variant* init = stack_plan(m, stack).init;
    if (init && reads_b2t_rescale(*init)) return;
  }
  throw UserError(sources.where(sources.latest({"model.b2t_rescale", "model.variant"})),
                  "no stack of this model reads b2t_rescale",
                  fmt::format("Remove it, or choose one of {}", fmt::join(rows_that(reads_b2t_rescale), ", ")));
}

void head_fits_the_form(const ModelConfig& m, const Sources& sources) {
  if (m.head != HeadKind::Words && m.form != Form::Encoder) {
    throw UserError(sources.where(sources.latest({"model.head", "model.form"})),
                    fmt::format("the head {} stands behind an encoder alone", quoted(word(m.head))),
                    "Set model.form = \"encoder\", or use the head \"words\"");
  }
  if (m.next_sentence && m.head != HeadKind::MaskedWords) {
    throw UserError(sources.where(sources.latest({"model.next_sentence", "model.head"})),
                    "next sentences belong to a masked language model", "Set task = \"masked_lm\", or remove it");
  }
  if (m.input == InputKind::Frames && (m.form != Form::EncoderDecoder || m.share_all_embeddings)) {
    throw UserError(sources.where(sources.latest({"model.input", "model.form", "model.share_all_embeddings"})),
                    "frames are read by the encoder of an encoder-decoder, which has no words to share",
                    "Use form \"encoder_decoder\" and share_decoder_input_output_embed");
  }
  if (m.subsampler_channels % 2 != 0) {
    throw UserError(sources.where("model.subsampler_channels"), "a gate halves them, but they are odd",
                    "Use an even number");
  }
}

void bands_are_bands(const ModelConfig& m, const Sources& sources) {
  if (m.adaptive_cutoffs.empty()) {
    if (!m.adaptive_input) return;
    throw UserError(sources.where("model.adaptive_input"), "an embedding in bands needs model.adaptive_cutoffs",
                    "Write where the bands begin, for example [20000, 60000]");
  }
  const std::string where = sources.where("model.adaptive_cutoffs");
  if (m.form != Form::Decoder) {
    throw UserError(where, "the adaptive softmax is for language models", "Set model.form = \"decoder\", or remove it");
  }
  // The tables are sorted by frequency and not by the specials, which come first and must be in the first band.
  int before = kSpecials;
  for (int cutoff : m.adaptive_cutoffs) {
    if (cutoff <= before) {
      throw UserError(where, fmt::format("{} does not come after {}", cutoff, before),
                      "Write ascending ids, the first above the special ones");
    }
    before = cutoff;
  }
  const bool tied = m.share_decoder_input_output_embed;
  if (tied && !m.adaptive_input) {
    throw UserError(sources.where(sources.latest({"model.share_decoder_input_output_embed", "model.adaptive_input"})),
                    "an output in bands can only be tied to an input in bands",
                    "Set adaptive_input = true, or share_decoder_input_output_embed = false");
  }
  if (m.adaptive_tie_projections && !tied) {
    throw UserError(sources.where("model.adaptive_tie_projections"), "the tables are not tied",
                    "Set share_decoder_input_output_embed = true as well");
  }
  if (m.adaptive_factor < 1) {
    throw UserError(sources.where("model.adaptive_factor"), fmt::format("{} is too small", m.adaptive_factor),
                    "Write 1 or more; the paper has 4");
  }
}

// Names first: the checks below them look the rows up.
constexpr RowCheck kRowChecks[] = {names_are_rows,
                                   stack_variants_have_their_stack,
                                   placement_fits_the_variant,
                                   multipliers_come_from_a_row_that_has_some,
                                   final_norm_is_allowed,
                                   shared_embeddings_are_equal,
                                   theory_matrices_are_square,
                                   mirrored_feed_forward_has_halves,
                                   rescale_is_read,
                                   head_fits_the_form,
                                   bands_are_bands};

}  // namespace

void check_rows(const ModelConfig& model, const Sources& sources) {
  for (const RowCheck one : kRowChecks) one(model, sources);
}

}  // namespace plumb
