#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/config/check.h"
#include "plumb/config/field_text.h"
#include "plumb/config/fields.h"

namespace plumb {
namespace {

using NumberCheck = void (*)(const Config& config, const Sources& sources);

// Ids 0 to 3 are bos, pad, eos and unk; a vocabulary holds at least one word more.
constexpr int64_t kLeastVocabulary = 5;

// Ceilings far above any model keep a slip of the finger, and the products of sizes, out of trouble.
constexpr int64_t kMostWidth = 1'000'000;
constexpr int64_t kMostLayers = 100'000;
constexpr int64_t kMostRows = 100'000'000;

// Numbers alone and in lists; the values of other types cannot be infinite.
template <class Field>
void is_finite(const std::string& key, const Field& field, const Sources& sources) {
  if constexpr (IsList<Field>::value) {
    for (const auto& item : field) is_finite(key, item, sources);
  } else if constexpr (std::is_floating_point_v<Field>) {
    if (std::isfinite(field)) return;
    throw UserError(sources.where(key), fmt::format("{} is not a finite number", float_text(field)),
                    "Write a number like 0.1 or 1e-6");
  }
}

void every_number_is_finite(const Config& config, const Sources& sources) {
  for_each_field(config,
                 [&](const std::string& key, const auto& field, std::string_view) { is_finite(key, field, sources); });
}

void whole_numbers_are_in_range(const Config& config, const Sources& sources) {
  struct Range {
    std::string_view key;
    int64_t value, least, most;
    std::string_view reason = "";
  };
  const ModelConfig& m = config.model;
  const bool encoder = m.shape().has(Stack::Encoder), decoder = m.shape().has(Stack::Decoder);
  constexpr std::string_view kIds = " (ids 0 to 3 are bos, pad, eos and unk)";
  std::vector<Range> ranges = {
      {"seed", config.seed, 0, std::numeric_limits<int64_t>::max()},
      {"threads", config.threads, 0, 4096},
      {"model.width", m.width, 1, kMostWidth},
      {"model.heads", m.heads, 1, kMostWidth},
      {"model.ffn_width", m.ffn_width, 1, kMostWidth},
      {"model.max_positions", m.max_positions, 1, kMostRows},
      {"model.qk_norm_length", m.qk_norm_length, 2, kMostRows, " (the scale starts at log2(L^2 - L))"},
      {"model.segments", m.segments, 0, 1000},
      {"model.classes", m.classes, 1, kMostRows},
      {"model.frame_width", m.frame_width, 1, kMostWidth},
      {"model.subsampler_channels", m.subsampler_channels, 2, kMostWidth},
      {"probe.seeds", config.probe.seeds, 1, 10'000},
      {"probe.batches", config.probe.batches, 1, kMostRows},
      {"probe.batch_tokens", config.probe.batch_tokens, 1, kMostRows},
      {"probe.lanczos_steps", config.probe.lanczos_steps, 0, 10'000},
      {"probe.lanczos_vectors", config.probe.lanczos_vectors, 0, 10'000},
      {"probe.curvature_pairs", config.probe.curvature_pairs, 0, kMostRows},
  };
  for (int depth : config.probe.depths) ranges.push_back({"probe.depths", depth, 1, kMostLayers});
  // The sizes of a stack that the form does not have may be anything, 0 above all.
  if (encoder) {
    ranges.push_back({"model.encoder_layers", m.encoder_layers, 1, kMostLayers});
    if (m.input == InputKind::Tokens) {
      ranges.push_back({"model.source_vocab", m.source_vocab, kLeastVocabulary, kMostRows, kIds});
    }
  }
  if (decoder) {
    ranges.push_back({"model.decoder_layers", m.decoder_layers, 1, kMostLayers});
    ranges.push_back({"model.target_vocab", m.target_vocab, kLeastVocabulary, kMostRows, kIds});
  }
  for (const Range& r : ranges) {
    if (r.value < r.least) {
      throw UserError(sources.where(r.key), fmt::format("{} is too small", r.value),
                      fmt::format("It must be at least {}{}", r.least, r.reason));
    }
    if (r.value > r.most) {
      throw UserError(sources.where(r.key), fmt::format("{} is too large", r.value),
                      fmt::format("It can be at most {}", r.most));
    }
  }
}

void shares_are_in_range(const Config& config, const Sources& sources) {
  const ModelConfig& m = config.model;
  const std::pair<std::string_view, double> dropouts[] = {{"model.dropout", m.dropout},
                                                          {"model.attention_dropout", m.attention_dropout},
                                                          {"model.activation_dropout", m.activation_dropout},
                                                          {"model.adaptive_dropout", m.adaptive_dropout},
                                                          {"model.pooler_dropout", m.pooler_dropout}};
  for (const auto& [key, value] : dropouts) {
    if (value >= 0 && value < 1) continue;
    throw UserError(sources.where(key), fmt::format("a dropout of {} is not in [0, 1)", value),
                    "Write the share that is dropped, for example 0.1; 0 drops nothing");
  }
  if (m.options.mix_ln_fraction < 0 || m.options.mix_ln_fraction > 1) {
    throw UserError(sources.where("model.mix_ln_fraction"),
                    fmt::format("{} is not in [0, 1]", m.options.mix_ln_fraction),
                    "Write the share of the layers that are Post-LN; the paper has 0.25");
  }
  const std::pair<std::string_view, double> not_negative[] = {{"model.ds_init_exponent", m.options.ds_init_exponent},
                                                              {"model.norm_eps", m.norm_eps}};
  for (const auto& [key, value] : not_negative) {
    if (value >= 0) continue;
    throw UserError(sources.where(key), fmt::format("{} is negative", value), "Write 0 or more");
  }
}

int largest_divisor(int of, int up_to) {
  int divisor = std::min(of, up_to);
  while (of % divisor != 0) --divisor;
  return divisor;
}

int next_divisor(int of, int from) {
  int divisor = from;
  while (divisor < of && of % divisor != 0) ++divisor;
  return divisor;
}

void width_is_divisible_by_heads(const Config& config, const Sources& sources) {
  const int width = config.model.width, heads = config.model.heads;
  if (width % heads == 0) return;
  std::string fewer_or_more = std::to_string(largest_divisor(width, heads));
  if (heads < width) fewer_or_more += fmt::format(" or {}", next_divisor(width, heads));
  // Heads of a power of two are what kernels like: 12 heads of 64 make 768.
  int64_t head_width = 1;
  while (head_width * heads < width) head_width *= 2;
  throw UserError(sources.where(sources.latest({"model.heads", "model.width"})),
                  fmt::format("width {} is not divisible by {} heads", width, heads),
                  fmt::format("Use {} heads, or width {}", fewer_or_more, head_width * heads));
}

void sinusoids_have_pairs(const Config& config, const Sources& sources) {
  const Positions positions = config.model.positions;
  const int width = config.model.width;
  if (positions != Positions::Fairseq && positions != Positions::Marian) return;
  // fairseq divides by width / 2 - 1.
  const int least = positions == Positions::Fairseq ? 4 : 2;
  if (width % 2 == 0 && width >= least) return;
  throw UserError(
      sources.where(sources.latest({"model.width", "model.positions"})),
      fmt::format("{} sinusoids come in pairs of sine and cosine: a width of {} does not do", word(positions), width),
      fmt::format("Use width {}, or positions = \"learned\"", std::max(least, width + 1)));
}

constexpr NumberCheck kNumberChecks[] = {every_number_is_finite, whole_numbers_are_in_range, shares_are_in_range,
                                         width_is_divisible_by_heads, sinusoids_have_pairs};

}  // namespace

void check_numbers(const Config& config, const Sources& sources) {
  for (const NumberCheck one : kNumberChecks) one(config, sources);
}

}  // namespace plumb
