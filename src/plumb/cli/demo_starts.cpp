// plumb demo --starts: a small deep model of every variant, before its first update.

#include "plumb/cli/demo_starts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plumb/base/progress.h"
#include "plumb/base/sparkline.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/variants.h"
#include "plumb/cli/command_line.h"
#include "plumb/nn/transformer.h"
#include "plumb/ops/cross_entropy.h"

namespace plumb {
namespace {

constexpr int64_t kSentences = 8, kLength = 16;

/// What a model looks like before its first step.
struct Start {
  int64_t parameters = 0;
  double loss = 0;
  double first_size = 0, last_size = 0;  // root mean square of the first and the last decoder layer's output
  std::vector<double> gradient = {};     // norm of the loss's gradient at each decoder layer's output
};

Batch random_batch(const ModelConfig& model) {
  at::manual_seed(1);
  const ops::Packed rows(std::vector<int64_t>(kSentences, kLength));
  const auto tokens = [&](int64_t vocabulary) {
    return Tokens{at::randint(kUnk + 1, vocabulary, {rows.rows()}, Where().options(at::kLong)), rows};
  };
  return {tokens(model.source_vocab), tokens(model.target_vocab)};
}

double size(const at::Tensor& x) {
  return x.square().mean().sqrt().item<double>();
}

Start measure(const ModelConfig& config, uint64_t seed) {
  Transformer model(config, seed);
  const Batch batch = random_batch(config);
  model.profile(batch, {});
  TapRecorder taps;
  const at::Tensor logits = model.logits(model.features(batch, {.observer = &taps}));
  const at::Tensor targets = at::roll(batch.target.ids, -1);
  const at::Tensor loss = ops::cross_entropy(logits, targets, 0.1, SmoothingOver::All) / targets.numel();
  loss.backward();

  Start start{.parameters = model.parameters().parameter_count(), .loss = loss.item<double>()};
  for (const auto& record : taps.records()) {
    const Tap& tap = record.tap;
    if (tap.stack != Stack::Decoder || tap.point != Tap::Point::Out || tap.sublayer != Sublayer::FeedForward) continue;
    if (start.gradient.empty()) start.first_size = size(record.value);
    start.last_size = size(record.value);
    start.gradient.push_back(record.value.grad().norm().item<double>());
  }
  return start;
}

// One block per layer, first to last; the scale is logarithmic and spans three decades below the largest.
std::string profile(const std::vector<double>& values) {
  const double largest = *std::ranges::max_element(values);
  std::vector<double> heights;
  for (double value : values) heights.push_back(std::log10(value / largest) / 3 + 1);
  return sparkline(heights);
}

// By which factor the gradient shrinks from each layer to the one below.
double per_layer(const std::vector<double>& gradient) {
  return std::pow(gradient.front() / gradient.back(), 1.0 / static_cast<double>(gradient.size() - 1));
}

}  // namespace

void show_starts(const ModelConfig& base, uint64_t seed) {
  print(fmt::format("{} ways to wire the same Transformer ({}-{}, width {}), before the first step of training\n\n",
                    variants().size(), base.encoder_layers, base.decoder_layers, base.width));
  const auto right = Table::Align::Right;
  Table table({{"variant"},
               {"parameters", right},
               {"loss", right},
               {"size 1", right},
               {"size L", right},
               {"gradient 1..L"},
               {"per layer", right},
               {"equation"}});
  Progress progress("building", static_cast<int64_t>(variants().size()));
  for (const Variant& row : variants()) {
    ModelConfig config = base;
    config.variant = row.name;
    const Start start = measure(config, seed);
    table.add_row({std::string(row.name), std::to_string(start.parameters), fmt::format("{:.2f}", start.loss),
                   fmt::format("{:.2f}", start.first_size), fmt::format("{:.2f}", start.last_size),
                   profile(start.gradient), fmt::format("{:.2f}", per_layer(start.gradient)),
                   std::string(row.equation)});
    progress.advance(1);
  }
  progress.finish();
  print(table.to_string(kLineWidth));
  print(
      "\nsize: root mean square of what the first and the last decoder layer give. gradient: its norm there, on a\n"
      "logarithmic scale of three decades. per layer: the factor by which it changes from one layer to the one below\n"
      "(of residual_dual, in the first of its two streams). A factor of 0.8 leaves 11 % after ten layers, and Adam\n"
      "magnifies what is left: that is why deep Post-LN needs warm-up, or another wiring.\n\n"
      "Next:  plumb list variants              what each row is\n"
      "       plumb list variants b2t          one row in full\n"
      "       plumb demo --starts --set model.decoder_layers=18 --set model.encoder_layers=18\n"
      "       plumb train configs/model/deep.toml --set model.variant=b2t --dry-run\n");
}

}  // namespace plumb
