#include <string>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/config/check.h"
#include "plumb/config/field_text.h"
#include "plumb/config/suggestion.h"

namespace plumb {
namespace {

using OptimCheck = void (*)(const OptimConfig& optim, const Sources& sources);

// What is added to sqrt(v) in single precision must not vanish there: where a gradient is zero, v is zero as well.
constexpr double kLeastEps = 1e-30;

bool reads(const OptimConfig& optim, std::string_view key) {
  for (const std::string_view own : find_optimiser(optim.name)->keys) {
    if (own == key) return true;
  }
  return false;
}

void name_is_a_row(const OptimConfig& o, const Sources& sources) {
  if (find_optimiser(o.name)) return;
  throw UserError(sources.where("optim.name"), fmt::format("there is no optimiser {}", quoted(o.name)),
                  did_you_mean(o.name, optimiser_names()) + "`plumb list optimisers` shows every name");
}

void numbers_are_in_range(const OptimConfig& o, const Sources& sources) {
  if (!(o.lr > 0)) {
    throw UserError(sources.where("optim.lr"), fmt::format("a learning rate of {} trains nothing", o.lr),
                    "Write a number above 0; 5e-4 is a good one for adam");
  }
  const std::pair<std::string_view, double> shares[] = {
      {"optim.betas", o.betas[0]}, {"optim.betas", o.betas[1]}, {"optim.momentum", o.momentum}};
  for (const auto& [key, value] : shares) {
    if (value >= 0 && value < 1) continue;
    throw UserError(sources.where(key), fmt::format("{} is not in [0, 1)", value),
                    "Write the share that stays from update to update, for example 0.9");
  }
  if (o.eps < kLeastEps) {
    throw UserError(sources.where("optim.eps"),
                    fmt::format("{} is too small: 0 / 0 follows where a gradient is zero", o.eps),
                    fmt::format("It must be at least {}; fairseq has 1e-8", kLeastEps));
  }
  const std::pair<std::string_view, double> not_negative[] = {{"optim.weight_decay", o.weight_decay},
                                                              {"optim.clip_norm", o.clip_norm}};
  for (const auto& [key, value] : not_negative) {
    if (value >= 0) continue;
    throw UserError(sources.where(key), fmt::format("{} is negative", value), "Write 0 or more");
  }
}

void decay_shrinks(const OptimConfig& o, const Sources& sources) {
  const double share = o.lr * o.weight_decay;
  if (o.decay != Decay::Decoupled || share < 1) return;
  throw UserError(sources.where(sources.latest({"optim.weight_decay", "optim.lr"})),
                  fmt::format("lr times weight_decay is {}: each update would turn every parameter around", share),
                  "Use a weight_decay like 1e-4 or 0.1");
}

void decay_is_the_optimisers_own(const OptimConfig& o, const Sources& sources) {
  if (o.decay == Decay::Decoupled || reads(o, "decay")) return;
  throw UserError(sources.where(sources.latest({"optim.decay", "optim.name"})),
                  fmt::format("the decay of {} is decoupled, never {}", o.name, quoted(word(o.decay))),
                  "Remove optim.decay, or use name = \"adam\"");
}

void rectified_steps_begin(const OptimConfig& o, const Sources& sources) {
  // rho_t rises to 2 / (1 - b2) - 1 and must reach 5.
  if (!reads(o, "radam_form") || o.radam_form != RadamForm::Clinic || 2 / (1 - o.betas[1]) - 1 > 5) return;
  throw UserError(sources.where(sources.latest({"optim.betas", "optim.name"})),
                  fmt::format("with a second beta of {} this form of {} never makes an update", o.betas[1], o.name),
                  "Use a second beta above 2/3, for example 0.98, or radam_form = \"paper\"");
}

// The name first: the checks below it look the row up.
constexpr OptimCheck kOptimChecks[] = {name_is_a_row, numbers_are_in_range, decay_shrinks, decay_is_the_optimisers_own,
                                       rectified_steps_begin};

}  // namespace

void check_optim(const OptimConfig& optim, const Sources& sources) {
  for (const OptimCheck one : kOptimChecks) one(optim, sources);
}

}  // namespace plumb
