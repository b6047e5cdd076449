#include "plumb/reproduce/rule_measures.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/catalogue/metrics.h"
#include "plumb/config/suggestion.h"
#include "plumb/sweep/results.h"

namespace plumb::reproduce {
namespace {

using Arguments = std::vector<std::string>;

std::vector<const MeasuredRun*> runs_of(const std::string& arm, const Measurements& measured) {
  std::vector<const MeasuredRun*> runs;
  std::set<std::string> arms;
  for (const MeasuredRun& run : measured.runs) {
    arms.insert(run.arm);
    if (matches(arm, run.arm)) runs.push_back(&run);
  }
  if (runs.empty()) {
    const std::vector<std::string_view> names(arms.begin(), arms.end());
    throw RuleProblem{fmt::format("there is no run of {}", arm),
                      did_you_mean(arm, names) + fmt::format("The arms are {}", fmt::join(arms, ", "))};
  }
  return runs;
}

double number_of(const MeasuredRun& run, const std::string& name) {
  if (const auto found = run.numbers.find(name); found != run.numbers.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [other, value] : run.numbers) names.push_back(other);
  throw RuleProblem{fmt::format("{}, seed {}, has no {}", run.arm, run.seed, name),
                    did_you_mean(name, names) + fmt::format("It has {}", fmt::join(names, ", "))};
}

RuleValue counted(const std::vector<const MeasuredRun*>& runs, const std::function<bool(const MeasuredRun&)>& which) {
  const auto count = std::ranges::count_if(runs, [&](const MeasuredRun* run) { return which(*run); });
  return {.numbers = {static_cast<double>(count)}};
}

bool has_learned(const MeasuredRun& run) {
  return number_of(run, "loss") < kLearnedBelow * number_of(run, "entropy");
}

double first_update_with(const MeasuredRun& run, double loss) {
  for (const auto& [update, value] : run.course) {
    if (value <= loss) return static_cast<double>(update);
  }
  return std::numeric_limits<double>::infinity();
}

double loss_at(const MeasuredRun& run, double update) {
  for (const auto& [at, value] : run.course) {
    if (static_cast<double>(at) == update) return value;
    if (static_cast<double>(at) > update) {
      throw RuleProblem{fmt::format("{} was not validated at update {}", run.arm, update),
                        fmt::format("It was at {}", at)};
    }
  }
  return std::numeric_limits<double>::infinity();  // it had ended before
}

/// What a failed run counts with, so that it is not left out.
double worst_of(const std::string& metric) {
  return (sweep::higher_is_better(metric) ? -1 : 1) * std::numeric_limits<double>::infinity();
}

// A run that failed was not tested.
double test_of(const MeasuredRun& run, const std::string& metric) {
  return run.outcome == RunState::Finished ? number_of(run, kTestPrefix + metric) : worst_of(metric);
}

// A run that diverged may have had a score before that, or none: it has learnt nothing.
double number_or_worst(const MeasuredRun& run, const std::string& name) {
  return run.outcome == RunState::Diverged && find_metric(sweep::scorer_of(name)) ? worst_of(name)
                                                                                  : number_of(run, name);
}

double parsed(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  throw RuleProblem{fmt::format("{} is not a number", text), "Write it as 0.5"};
}

std::string name_of(const MeasuredCurve& curve) {
  std::string text = fmt::format("{}, {}.{}", curve.of, curve.probe, curve.number);
  for (const auto& [key, value] : curve.labels) text += fmt::format(", {}={}", key, value);
  return text;
}

bool has_labels(const MeasuredCurve& curve, const Arguments& arguments) {
  return std::all_of(arguments.begin() + 2, arguments.end(), [&](const std::string& argument) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) throw RuleProblem{argument + " is not label=value", "Write stack=decoder"};
    const auto found = curve.labels.find(argument.substr(0, equals));
    return found != curve.labels.end() && found->second == argument.substr(equals + 1);
  });
}

// Exactly one curve must fit: a rule that could mean two things says nothing.
RuleValue curve_of(const Arguments& arguments, const Measurements& measured) {
  if (arguments.size() < 2) throw RuleProblem{"curve wants at least two words", "Write curve(of, probe.number)"};
  std::vector<const MeasuredCurve*> found;
  std::set<std::string> near;
  for (const MeasuredCurve& curve : measured.curves) {
    if (curve.probe + "." + curve.number == arguments[1]) near.insert(name_of(curve));
    if (curve.of != arguments[0] || curve.probe + "." + curve.number != arguments[1]) continue;
    if (has_labels(curve, arguments)) found.push_back(&curve);
  }
  if (found.size() == 1) return {.numbers = found.front()->mean, .at = found.front()->at};
  throw RuleProblem{fmt::format("{} curves are curve({})", found.empty() ? "no" : std::to_string(found.size()),
                                fmt::join(arguments, ", ")),
                    near.empty() ? "Nothing of that name was measured"
                                 : fmt::format("There are, for example, ({})", fmt::join(near, "), ("))};
}

}  // namespace

RuleValue measure(const std::string& name, const Arguments& arguments, const Measurements& measured) {
  if (arguments.empty()) throw RuleProblem{name + " of what?", fmt::format("Write {}(arm)", name)};
  if (name == "curve") return curve_of(arguments, measured);
  const std::vector<const MeasuredRun*> runs = runs_of(arguments[0], measured);
  const auto has_finished = [](const MeasuredRun& run) { return run.outcome == RunState::Finished; };
  if (name == "runs") return {.numbers = {static_cast<double>(runs.size())}};
  if (outcome_word(name) == outcome_name(RunOutcome::Finished)) return counted(runs, has_finished);
  if (name == "failed") return counted(runs, [&](const MeasuredRun& run) { return !has_finished(run); });
  if (name == "learned") return counted(runs, has_learned);
  RuleValue value;
  for (const MeasuredRun* run : runs) {
    if (name == "outcome") {
      value.words.emplace_back(state_name(run->outcome));
    } else if (name == "updates_to" || name == "loss_at") {
      if (arguments.size() != 2) throw RuleProblem{name + " wants an arm and a number", "updates_to(arm, 0.5)"};
      const double at = parsed(arguments[1]);
      value.numbers.push_back(name == "loss_at" ? loss_at(*run, at) : first_update_with(*run, at));
    } else if (name == "test") {
      if (arguments.size() != 2) throw RuleProblem{"test wants an arm and a metric", "test(arm, bleu)"};
      value.numbers.push_back(test_of(*run, arguments[1]));
    } else {
      value.numbers.push_back(number_or_worst(*run, name));
    }
  }
  return value;
}

}  // namespace plumb::reproduce
