#include "plumb/probe/forecast.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/table.h"
#include "plumb/catalogue/schedules.h"
#include "plumb/probe/strain.h"
#include "plumb/probe/thresholds.h"

namespace plumb::probe {

std::string_view in_words(Ground ground) {
  switch (ground) {
    case Ground::Theory:
      return "theory";
    case Ground::Measured:
      return "measured";
    case Ground::RuleOfThumb:
      return "rule of thumb";
  }
  return "";
}

namespace {

int64_t warmup_of(const Findings& findings) {
  const ScheduleConfig& schedule = findings.config.schedule;
  return schedule.warmup_updates.value_or(find_schedule(schedule.name)->warmup_updates);
}

/// Writes a forecast down, sentence by sentence.
class ForecastWriter {
 public:
  ForecastWriter(const Findings& findings, const std::vector<Findings>& others)
      : findings_(findings), others_(others), strain_(findings) {}

  Forecast write() {
    forecast_.variant = findings_.variant;
    forecast_.strain = strain_.value();
    forecast_.largest_rate = strain_.largest_rate();
    forecast_.limit = strain_.limit;
    forecast_.needs_warmup = !(strain_.value() <= strain_.limit);
    outlook();
    for (Stack stack : findings_.config.model.shape().stacks()) balance(stack);
    for (Stack stack : findings_.config.model.shape().stacks()) growth(stack);
    for (Stack stack : findings_.config.model.shape().stacks()) dependence(stack);
    warmup();
    rate();
    alternatives();
    return std::move(forecast_);
  }

 private:
  void say(std::string about, std::string says, std::string rule, Ground ground) {
    forecast_.sentences.push_back({std::move(about), std::move(says), std::move(rule), ground});
  }

  void outlook() {
    const int64_t warmup = warmup_of(findings_);
    forecast_.will_train = !forecast_.needs_warmup || (warmup > 0 && !strain_.vanishing());
    say("forecast",
        fmt::format(
            "With lr {:g} and {} it {}: its strain is {:.3g}, lr times {:.4g}, the shift of the output per unit of it.",
            strain_.rate, warmup > 0 ? fmt::format("{} updates of warm-up", warmup) : "no warm-up",
            forecast_.will_train ? "should train" : "will not train", strain_.value(), strain_.per_rate),
        fmt::format("trains if the strain is at most {:g} ({}); with warm-up also if the smallest relative gradient is "
                    "at least {:g}",
                    strain_.limit, path(), thresholds::kVanishing),
        Ground::RuleOfThumb);
  }

  std::string path() const {
    return strain_.limit == thresholds::kStrain ? "norms on every path" : "a path without norms; none has failed yet";
  }

  void balance(Stack stack) {
    const double smallest = findings_.number("relative_gradient", "smallest", labels_of(stack));
    const double factor = findings_.number("relative_gradient", "factor", labels_of(stack));
    if (std::isnan(smallest)) return;
    const char* word_for = smallest >= thresholds::kBalanced    ? "balanced"
                           : smallest >= thresholds::kVanishing ? "uneven"
                                                                : "vanishing in low layers";
    say("gradient",
        fmt::format(
            "Gradients of the {} are {}: the smallest at a sub-layer's output is {:.2g} of the largest{}.", word(stack),
            word_for, smallest,
            // One layer has none below it.
            std::isnan(factor) ? "" : fmt::format(", and from a layer to the one below it changes by {:.3g}", factor)),
        fmt::format("balanced from {:g}, vanishing below {:g} (Liu 2020, Fig. 3)", thresholds::kBalanced,
                    thresholds::kVanishing),
        Ground::Measured);
  }

  void growth(Stack stack) {
    Labels labels = labels_of(stack);
    labels.emplace_back("by", "random");
    const double linear = findings_.number("amplification", "r2_linear", labels);
    const double logarithmic = findings_.number("amplification", "r2_log", labels);
    if (std::isnan(linear)) return;
    const char* law = linear > logarithmic + thresholds::kBetterFit ? "like N"
                      : logarithmic > linear + thresholds::kBetterFit
                          ? "like log N"
                          : "like N or log N, which these depths cannot tell apart";
    say("shift",
        fmt::format("The output of the {} shifts {} with its N sub-layers (R^2 {:.3f} for N, {:.3f} for log N).",
                    word(stack), law, linear, logarithmic),
        "Theorem 2: the shift grows as the sum of beta_ii^2, N for Post-LN, log N for Pre-LN and Admin",
        Ground::Theory);
  }

  void dependence(Stack stack) {
    const Curve* own = findings_.curve("dependency", "own", labels_of(stack));
    if (!own || own->points.empty()) return;
    const std::vector<double> shares = own->means();
    const double exponent = findings_.number("dependency", "exponent", labels_of(stack));
    const auto [least, most] = std::ranges::minmax(shares);
    say("dependency",
        fmt::format(
            "In the {} the newest branch makes {:.2g} to {:.2g} of its sub-layer's variance, {:.2g} in the last; {}.",
            word(stack), least, most, shares.back(),
            exponent < thresholds::kFallingShare
                ? fmt::format("deep layers lean on their branches less (exponent {:.2f})", exponent)
                : fmt::format("deep layers lean on them as much as others (exponent {:.2f})", exponent)),
        fmt::format("falling if beta_ii^2 goes as i^p with p < {:g}; 0 is Post-LN, -1 Pre-LN and Admin",
                    thresholds::kFallingShare),
        Ground::Theory);
  }

  void warmup() {
    const std::string rule = fmt::format("needed above a strain of {:g} ({})", strain_.limit, path());
    if (!forecast_.needs_warmup) {
      say("warm-up", fmt::format("It needs none at lr {:g}: the strain is {:.3g}.", strain_.rate, strain_.value()),
          rule, Ground::RuleOfThumb);
    } else if (strain_.vanishing()) {
      say("warm-up",
          fmt::format(
              "Warm-up alone will hardly save it at this rate: gradients vanish in low layers ({:.2g} of the largest).",
              strain_.smallest),
          fmt::format("smallest relative gradient below {:g}", thresholds::kVanishing), Ground::RuleOfThumb);
    } else {
      say("warm-up", fmt::format("It needs warm-up at lr {:g}: the strain is {:.3g}.", strain_.rate, strain_.value()),
          rule, Ground::RuleOfThumb);
    }
  }

  void rate() {
    const double best = findings_.number("step", "rate_best");
    say("rate",
        fmt::format("The largest lr that it takes without warm-up is about {:.1e}{}.", strain_.largest_rate(),
                    std::isnan(best)
                        ? "; along Adam's first step the loss curves downwards, which bounds nothing"
                        : fmt::format("; along Adam's first step the loss has its minimum at {:.1e}, as far as "
                                      "its curvature tells",
                                      best)),
        fmt::format("the lr with a strain of {:g} ({}); the curvature is measured and holds for one step",
                    strain_.limit, path()),
        Ground::RuleOfThumb);
  }

  void alternatives() {
    if (others_.empty()) return;
    std::vector<std::pair<double, std::string>> rates;
    for (const Findings& other : others_) rates.emplace_back(Strain(other).largest_rate(), other.variant);
    std::ranges::sort(rates, std::greater());
    std::vector<std::string> parts;
    for (const auto& [rate, name] : rates) parts.push_back(fmt::format("{} {:.1e}", name, rate));
    const auto& [best, name] = rates.front();
    say("wiring",
        fmt::format("{} Largest lr without warm-up at this depth: {}.",
                    best > 1.5 * strain_.largest_rate()
                        ? fmt::format("{} would take {:.1f} times the rate.", name, best / strain_.largest_rate())
                        : fmt::format("None of {} others would take a much larger rate.", rates.size()),
                    fmt::join(parts, ", ")),
        "the same strain for the same model in another wiring; says nothing of the quality that is reached in the end",
        Ground::RuleOfThumb);
  }

  const Findings& findings_;
  const std::vector<Findings>& others_;
  Strain strain_;
  Forecast forecast_;
};

}  // namespace

Forecast forecast_of(const Findings& findings, const std::vector<Findings>& others) {
  return ForecastWriter(findings, others).write();
}

std::string in_words(const Forecast& forecast) {
  constexpr size_t kLineWidth = 120;
  Table table({{forecast.variant}, {""}});
  for (const Forecast::Sentence& sentence : forecast.sentences) {
    table.add_row({sentence.about, sentence.says});
    table.add_row({"", fmt::format("[{}: {}]", in_words(sentence.ground), sentence.rule)});
  }
  return table.to_string(kLineWidth);
}

nlohmann::ordered_json to_json(const Forecast& forecast) {
  nlohmann::ordered_json sentences = nlohmann::ordered_json::array();
  for (const Forecast::Sentence& one : forecast.sentences) {
    sentences.push_back(
        {{"about", one.about}, {"says", one.says}, {"rule", one.rule}, {"ground", in_words(one.ground)}});
  }
  return {
      {"variant", forecast.variant},      {"will_train", forecast.will_train}, {"needs_warmup", forecast.needs_warmup},
      {"strain", forecast.strain},        {"limit", forecast.limit},           {"largest_rate", forecast.largest_rate},
      {"sentences", std::move(sentences)}};
}

}  // namespace plumb::probe
