#include "plumb/cli/list_variants.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/table.h"
#include "plumb/cli/command_line.h"
#include "plumb/config/markdown.h"

namespace plumb {
namespace {

using nlohmann::ordered_json;

// ---- the rule of one sub-layer as an equation ----

std::string times(double factor, const std::string& what) {
  return factor == 1 ? what : fmt::format("{:.4g}*{}", factor, what);
}

std::string times(const Factor& factor, char letter, const std::string& what) {
  if (factor.learned()) return fmt::format("{}*{}", letter, what);
  return factor.kind == Factor::Kind::One ? what : times(factor.value, what);
}

std::string equation_of(const Rule& rule) {
  std::string u = rule.input_shift ? "x - b" : "x";
  if (rule.norm_in) u = fmt::format("norm({})", u);
  u = times(rule.c_in, u);
  std::string branch = fmt::format("F({})", u);
  if (rule.norm_out) branch = fmt::format("norm({})", branch);
  std::string z = times(rule.r, 'r', "x") + " + " + times(rule.g, 'g', branch);
  if (rule.beta != 1) z = times(rule.beta, "(" + z + ")");
  if (rule.alpha != 0) z = times(rule.alpha, "x_bottom") + " + " + z;
  if (rule.norm_post) z = fmt::format("norm({})", z);
  return rule.alpha_out != 0 ? z + " + " + times(rule.alpha_out, "x_bottom") : z;
}

std::string learned(const Factor& factor, char letter) {
  switch (factor.kind) {
    case Factor::Kind::LayerScalar:
      return fmt::format("{} one number per layer, {:.4g} at first", letter, factor.value);
    case Factor::Kind::Scalar:
      return fmt::format("{} one number, {:.4g} at first", letter, factor.value);
    case Factor::Kind::Vector:
      return fmt::format("{} one vector, {:.4g} at first", letter, factor.value);
    default:
      return "";
  }
}

std::string weights_at_first(const Variant& row, const Place& place) {
  using enum Role;
  const std::vector<Role> roles = place.sublayer == Sublayer::FeedForward
                                      ? std::vector{HiddenIn, HiddenOut}
                                      : std::vector{Query, Key, Value, AttentionOutput};
  // Roles that are scaled alike stand together: "value, attention_output x 0.428".
  std::vector<std::pair<double, std::string>> groups;
  for (const Role role : roles) {
    const double factor = row.multiplier ? row.multiplier(role, place, row.regime, {}) : 1;
    if (factor == 1) continue;
    if (groups.empty() || groups.back().first != factor) {
      groups.emplace_back(factor, word(role));
    } else {
      groups.back().second += fmt::format(", {}", word(role));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [factor, names] : groups) parts.push_back(fmt::format("{} x {:.4g}", names, factor));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string notes_of(const Variant& row, const Rule& rule, const Place& place) {
  std::vector<std::string> notes;
  const auto add = [&](bool there, std::string note) {
    if (there && !note.empty()) notes.push_back(std::move(note));
  };
  add(true, learned(rule.r, 'r') + (rule.r.learned() && row.profiled ? ", then profiled" : ""));
  add(true, learned(rule.g, 'g'));
  add(rule.value_norm, "values normed");
  add(rule.heads_norm, "heads normed before W_O");
  add(rule.head_scale, "each head scaled");
  add(rule.hidden_norm, "hidden layer normed");
  add(rule.hidden_shifts, "hidden layer shifted");
  add(!rule.biases, "no biases");
  add(true, weights_at_first(row, place));
  add(row.mirrored_ffn && place.sublayer == Sublayer::FeedForward, "fc1, fc2 mirrored at first");
  return fmt::format("{}", fmt::join(notes, "; "));
}

// ---- an example model ----

struct Span {
  std::string place;  // encoder.ffn
  int first, last;    // layers that are alike
  std::string equation, notes;
};

std::vector<Span> spans_of(const Variant& row) {
  const Shape shape;  // the default, 6-6 at width 512
  std::vector<Span> spans;
  for (const Stack stack : {Stack::Encoder, Stack::Decoder}) {
    for (const Sublayer sublayer : shape.order(stack)) {
      for (int layer = 1; layer <= shape.layers(stack); ++layer) {
        const Place place{stack, sublayer, layer, shape};
        const Rule rule = rule_at(row, place, {});
        Span span{fmt::format("{}.{}", word(stack), word(sublayer)), layer, layer, equation_of(rule),
                  notes_of(row, rule, place)};
        const bool goes_on = layer > 1 && spans.back().equation == span.equation && spans.back().notes == span.notes;
        if (goes_on) {
          spans.back().last = layer;
        } else {
          spans.push_back(std::move(span));
        }
      }
    }
  }
  return spans;
}

std::string layers_in_words(const Span& span) {
  return span.first == span.last ? std::to_string(span.first) : fmt::format("{}-{}", span.first, span.last);
}

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

ordered_json summary_json(const Variant& row) {
  return {{"name", row.name},
          {"paper", row.paper},
          {"equation", row.equation},
          {"norms", norms_in_words(row)},
          {"extra_parameters", row.extra},
          {"warmup", row.warmup},
          {"init", word(row.regime)},
          {"norm", word(row.norm)},
          {"qk_norm", word(row.qk_norm)},
          {"final_norm", row.ending.norm},
          {"final_norm_is_free", row.final_norm_is_free},
          {"profiled", row.profiled},
          {"initial_scales", row.multiplier != nullptr || row.mirrored_ffn},
          {"also_placed_as", row.also_placed_as}};
}

}  // namespace

std::string variants_text() {
  Table table({{"variant"}, {"equation; paper; norms; extra parameters; warm-up"}});
  for (const Variant& row : variants()) {
    table.add_row({std::string(row.name), fmt::format("{}\n{}; norms: {}; extra: {}; warm-up: {}", row.equation,
                                                      row.paper, norms_in_words(row), row.extra, row.warmup)});
  }
  return table.to_string(kLineWidth);
}

std::string variants_markdown() {
  std::string text =
      "# Variants\n\nGenerated by `plumb list variants --markdown`; do not edit.\n\n"
      "F is a sub-layer, d the width, L the layers of a stack, N and M those of encoder and decoder, H the heads and "
      "f\n"
      "the feed-forward width. Norms: *in* before the sub-layer, *out* on the branch, *post* after the sum, *inner*\n"
      "inside the sub-layer, *final* at the end of the stack. `plumb list variants NAME` shows each sub-layer.\n\n";
  text += markdown_header({"variant", "paper", "equation", "norms", "extra parameters", "init", "warm-up"});
  for (const Variant& row : variants()) {
    text +=
        markdown_row({markdown_code(row.name), std::string(row.paper), markdown_code(row.equation), norms_in_words(row),
                      std::string(row.extra), std::string(word(row.regime)), std::string(row.warmup)});
  }
  return text;
}

ordered_json variants_json() {
  ordered_json rows = ordered_json::array();
  for (const Variant& row : variants()) rows.push_back(summary_json(row));
  return rows;
}

std::string variant_text(const Variant& row) {
  Table facts({{std::string(row.name)}, {std::string(row.paper)}});
  const auto add = [&](const char* key, std::string_view value) { facts.add_row({key, std::string(value)}); };
  add("equation", row.equation);
  add("norms", norms_in_words(row));
  add("norm kind", word(row.norm));
  add("q, k norm", word(row.qk_norm));
  add("final norm", yes_no(row.ending.norm) + (row.final_norm_is_free ? ", model.final_norm may change it" : ""));
  add("extra parameters", row.extra);
  add("init", fmt::format("{}: {}", word(row.regime), description(row.regime)));
  add("warm-up", row.warmup);
  if (row.profiled) add("profiled", "yes: r is set by a pass over one batch before training");
  if (!row.also_placed_as.empty()) add("also placed as", fmt::format("{}", fmt::join(row.also_placed_as, ", ")));

  Table rules({{"sub-layer"}, {"layers"}, {"x' ="}, {"inside, and at first"}});
  for (const Span& span : spans_of(row)) {
    rules.add_row({span.place, layers_in_words(span), span.equation, span.notes});
  }
  const Shape shape;
  return facts.to_string(kLineWidth) +
         fmt::format("\nIn a {}-{} model of width {}:\n\n", shape.encoder_layers, shape.decoder_layers, shape.width) +
         rules.to_string(kLineWidth);
}

ordered_json variant_json(const Variant& row) {
  ordered_json json = summary_json(row);
  for (const Span& span : spans_of(row)) {
    json["example"].push_back({{"sublayer", span.place},
                               {"first_layer", span.first},
                               {"last_layer", span.last},
                               {"equation", span.equation},
                               {"notes", span.notes}});
  }
  return json;
}

}  // namespace plumb
