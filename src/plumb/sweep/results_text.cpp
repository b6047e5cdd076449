#include "plumb/sweep/results_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/progress.h"
#include "plumb/base/table.h"

namespace plumb::sweep {
namespace {

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

std::string mean_text(const ArmResult& arm) {
  const size_t runs = arm.runs.size();
  if (arm.failed > 0) return fmt::format("failed {} of {}", arm.failed, runs);
  if (arm.unfinished > 0) return fmt::format("{} of {} to do", arm.unfinished, runs);
  return arm.mean ? number(*arm.mean) : "-";
}

// " (35 to 38 % of unigram)": the last validation losses of the runs with this outcome, as shares of the unigram
// entropy.
std::string unigram_shares_text(const SweepResults& results, const ArmResult& arm, const std::string& outcome) {
  std::vector<double> shares;
  for (const size_t index : arm.runs) {
    const RunResult& run = results.runs[index];
    const double share = run.summary.unigram_share.value_or(NAN);
    if (run.outcome() == outcome && std::isfinite(share)) shares.push_back(100 * share);
  }
  if (shares.empty()) return "";
  const auto [low, high] = std::ranges::minmax(shares);
  const std::string first = fmt::format("{:.0f}", low), last = fmt::format("{:.0f}", high);
  return fmt::format(" ({} % of unigram)", first == last ? first : first + " to " + last);
}

// "2 diverged at update 40 to 55, 1 finished (38 % of unigram)": failures first, and where; what the last loss is
// worth.
std::string outcomes_text(const SweepResults& results, const ArmResult& arm) {
  std::map<std::string, std::pair<int64_t, int64_t>> where;  // of failures: first and last update
  for (const size_t index : arm.runs) {
    const RunResult& run = results.runs[index];
    if (!run.summary.failure || run.value) continue;
    const int64_t update = run.summary.failure->update;
    const auto [place, fresh] = where.try_emplace(run.outcome(), update, update);
    place->second = {std::min(place->second.first, update), std::max(place->second.second, update)};
  }
  std::string text;
  for (const auto& [outcome, count] : arm.outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, outcome);
    if (const auto place = where.find(outcome); place != where.end()) {
      const auto [first, last] = place->second;
      text += first == last ? fmt::format(" at update {}", first) : fmt::format(" at updates {} to {}", first, last);
    }
    text += unigram_shares_text(results, arm, outcome);
  }
  return text;
}

std::string speed_text(const SweepResults& results, const ArmResult& arm) {
  std::vector<double> rates;
  for (const size_t run : arm.runs) {
    if (results.runs[run].summary.tokens_per_second) rates.push_back(*results.runs[run].summary.tokens_per_second);
  }
  if (rates.empty()) return "-";
  std::ranges::sort(rates);
  return fmt::format("{:.0f}", (rates[(rates.size() - 1) / 2] + rates[rates.size() / 2]) / 2);  // the median
}

std::string time_text(const SweepResults& results, const ArmResult& arm) {
  double seconds = 0;
  for (const size_t run : arm.runs) seconds += results.runs[run].summary.seconds.value_or(0);
  return seconds > 0 ? duration_text(seconds) : "-";
}

// Escape codes would count as columns of a table, so a whole line is made bold afterwards.
std::string with_bold_line(const std::string& text, size_t line) {
  size_t begin = 0;
  for (size_t i = 0; i < line; ++i) begin = text.find('\n', begin) + 1;
  const size_t end = text.find('\n', begin);
  return text.substr(0, begin) + "\x1b[1m" + text.substr(begin, end - begin) + "\x1b[0m" + text.substr(end);
}

std::string interval_text(const PairedDifference& d) {
  if (d.pairs == 0) return "-";
  if (d.pairs == 1) return "one seed: no interval";
  return fmt::format("{:+.4g} .. {:+.4g}", *d.low, *d.high);
}

std::string better_text(const PairedDifference& d, bool higher_is_better) {
  if (d.pairs == 0) return "-";
  if (d.above == 0 && d.below == 0) return fmt::format("equal in {} of {}", d.pairs, d.pairs);
  return fmt::format("{} of {}", higher_is_better ? d.above : d.below, d.pairs);
}

std::string failures_text(const ArmResult& arm) {
  return arm.failed > 0 ? fmt::format("failed {} of {}", arm.failed, arm.runs.size()) : "finished";
}

std::string tests_text(const SweepResults& results) {
  const auto right = Table::Align::Right;
  Table table({{"on the test set"},
               {"metric"},
               {"score", right},
               {"baseline", right},
               {"difference", right},
               {"p", right},
               {"sentences", right},
               {"seeds", right}});
  bool any = false;
  for (const ArmComparison& pair : results.comparisons) {
    if (!pair.test) continue;
    any = true;
    const SentenceComparison& t = *pair.test;
    table.add_row({results.arms[pair.arm].arm.name, t.metric, fmt::format("{:.2f}", t.score),
                   fmt::format("{:.2f}", t.baseline), fmt::format("{:+.2f}", t.score - t.baseline),
                   fmt::format("{:.4f}", t.p_value), std::to_string(t.sentences), std::to_string(t.seeds)});
  }
  if (!any) return "";
  return "\n" + table.to_string() +
         "p: how often luck in the choice of sentences alone makes such a difference (paired bootstrap)\n";
}

}  // namespace

std::string dry_run_text(const SweepResults& results) {
  const Sweep& sweep = results.sweep;
  std::string text = fmt::format("{}: {} x {} = {} of {}, into {}\n", sweep.name, counted(results.arms.size(), "arm"),
                                 counted(sweep.seeds.size(), "seed"), counted(results.runs.size(), "run"),
                                 sweep.config.string(), results.out.string());
  if (!sweep.set.empty()) text += fmt::format("all: {}\n", fmt::join(sweep.set, " "));
  text += fmt::format("seeds: {}\n\n", fmt::join(sweep.seeds, " "));
  Table table({{"arm"}, {"done", Table::Align::Right}, {"settings"}});
  for (const ArmResult& arm : results.arms) {
    table.add_row({arm.arm.name, fmt::format("{}/{}", std::ssize(arm.runs) - arm.unfinished, arm.runs.size()),
                   fmt::format("{}", fmt::join(arm.arm.overrides, " "))});
  }
  return text + table.to_string();
}

std::string arms_text(const SweepResults& results, bool colours) {
  const auto right = Table::Align::Right;
  Table table({{"arm"},
               {results.sweep.metric, right},
               {"deviation", right},
               {"finished", right},
               {"tok/s", right},
               {"time", right},
               {"outcomes"}});
  std::optional<size_t> best_line;
  for (const ArmResult& arm : results.arms) {
    if (&arm == results.best()) best_line = static_cast<size_t>(&arm - results.arms.data()) + 1;
    table.add_row({arm.arm.name, mean_text(arm), arm.deviation ? number(*arm.deviation) : "-",
                   fmt::format("{}/{}", arm.finished, arm.runs.size()), speed_text(results, arm),
                   time_text(results, arm), outcomes_text(results, arm)});
  }
  const std::string text = table.to_string();
  return colours && best_line && results.arms.size() > 1 ? with_bold_line(text, *best_line) : text;
}

std::string comparisons_text(const SweepResults& results) {
  if (results.comparisons.empty()) return "";
  const auto right = Table::Align::Right;
  Table table({{"against the baseline"},
               {"difference", right},
               {"95 % interval", right},
               {"seeds", right},
               {"better in", right},
               {"arm"},
               {"baseline"}});
  double coverage = 1;
  for (const ArmComparison& pair : results.comparisons) {
    const PairedDifference& d = pair.difference;
    const ArmResult &arm = results.arms[pair.arm], &baseline = results.arms[pair.baseline];
    table.add_row({arm.arm.name, d.pairs > 0 ? fmt::format("{:+.4g}", d.mean) : "-", interval_text(d),
                   std::to_string(d.pairs), better_text(d, results.higher_is_better), failures_text(arm),
                   failures_text(baseline)});
    if (d.pairs > 1) coverage = std::min(coverage, d.coverage);
  }
  std::string text = "\n" + table.to_string();
  if (coverage < 0.95) {
    text += fmt::format(
        "With so few seeds an interval is too narrow: it holds the true difference in at most {:.0f} % of cases.\n",
        100 * coverage);
  }
  return text + tests_text(results);
}

std::string results_text(const SweepResults& results, bool colours) {
  std::string text = arms_text(results, colours);
  if (const ArmResult* best = results.best(); best && results.arms.size() > 1) {
    text += fmt::format("\nbest {}: {} ({})\n", results.sweep.metric, best->arm.name, number(*best->mean));
  }
  text += heat_maps_text(results, colours) + comparisons_text(results);
  for (const RunResult& run : results.runs) {
    if (run.error.empty()) continue;
    text += fmt::format("\n{}, seed {} could not be done: {}\n", results.arms[run.run.arm].arm.name, run.run.seed,
                        run.error);
  }
  return text;
}

}  // namespace plumb::sweep
