#include "plumb/sweep/results.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/runs/record_json.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_at(const ValidationPoint& point, const std::string& name) {
  if (name == key_of(&ValidRecord::loss)) return point.loss;
  if (name == key_of(&ValidRecord::nll)) return point.nll;
  if (name == key_of(&ValidRecord::ppl)) return point.ppl;
  const auto score = point.scores.find(name);
  return score == point.scores.end() ? std::nullopt : std::optional(score->second);
}

std::optional<double> value_of(const std::string& metric, const RunResult& result) {
  if (result.summary.state != RunState::Finished) return std::nullopt;
  std::optional<double> value;
  const std::string name = metric_name(metric);
  if (metric.starts_with("test.")) {
    if (const auto found = result.test.find(name); found != result.test.end()) value = found->second;
  } else if (const auto& point = metric.starts_with("last.") ? result.summary.last : result.summary.best) {
    value = number_at(*point, name);
  }
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::map<std::string, double> read_test(const fs::path& run) {
  std::map<std::string, double> numbers;
  std::ifstream file(run / kTestFile);
  const nlohmann::json record = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object()) return numbers;
  for (const auto& [key, value] : record.items()) {
    try {
      numbers[key] = number_of_json(value);
    } catch (const nlohmann::json::exception&) {  // "split": "test" and other words
    }
  }
  return numbers;
}

// The metric of a sweep may be changed later: then an earlier test has not got its score, or is of other weights.
bool is_tested(const Sweep& sweep, const RunResult& result) {
  if (result.test.empty()) return false;
  const auto average = result.test.find("average");
  if ((average == result.test.end() ? 1 : average->second) != sweep.test_average) return false;
  if (!sweep.test_metric.empty()) return result.test.contains(sweep.test_metric);
  const std::string scorer = scorer_of(metric_name(sweep.metric));
  return !sweep.metric.starts_with("test.") || !find_metric(scorer) || result.test.contains(scorer);
}

ArmResult arm_result(const Arm& arm, std::vector<size_t> indices, const std::vector<RunResult>& runs) {
  ArmResult result{.arm = arm, .runs = std::move(indices)};
  std::vector<double> values;
  for (const size_t index : result.runs) {
    const RunResult& run = runs[index];
    ++result.outcomes[run.outcome()];
    if (run.failed()) {
      ++result.failed;
    } else if (run.value) {
      ++result.finished;
      values.push_back(*run.value);
    } else {
      ++result.unfinished;
    }
  }
  if (values.empty() || result.failed > 0 || result.unfinished > 0) return result;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  result.mean = mean;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  result.deviation = std::sqrt(squares / (n - 1));
  return result;
}

// The arm that `arm` is compared with: the baseline, or the listed arm of that name at the same point of the grid.
std::optional<size_t> baseline_of(const SweepResults& results, const Arm& arm) {
  for (size_t i = 0; i < results.arms.size(); ++i) {
    const Arm& other = results.arms[i].arm;
    const bool named = other.name == results.sweep.baseline;
    if (named || (other.listed == results.sweep.baseline && other.point == arm.point)) return i;
  }
  return std::nullopt;
}

PairedDifference difference(const SweepResults& results, const ArmResult& arm, const ArmResult& baseline) {
  if (!arm.mean || !baseline.mean) return {};
  std::vector<double> ours, theirs;
  for (const size_t run : arm.runs) ours.push_back(*results.runs[run].value);
  for (const size_t run : baseline.runs) theirs.push_back(*results.runs[run].value);
  return paired_difference(ours, theirs);
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::optional<SentenceComparison> test_comparison(const SweepResults& results, const ArmComparison& pair) {
  const ArmResult &ours = results.arms[pair.arm], &theirs = results.arms[pair.baseline];
  const std::string metric = test_metric_of(results.sweep, config_of(results.sweep, ours.arm));
  if (metric.empty() || ours.finished < std::ssize(ours.runs) || theirs.finished < std::ssize(theirs.runs)) {
    return std::nullopt;
  }
  std::vector<SeedOutputs> seeds;
  for (size_t i = 0; i < ours.runs.size(); ++i) {
    const fs::path our_run = results.out / results.runs[ours.runs[i]].run.folder;
    const fs::path their_run = results.out / results.runs[theirs.runs[i]].run.folder;
    const std::vector<std::string> references = lines_of(our_run / kReferencesFile);
    if (references.empty() || references != lines_of(their_run / kReferencesFile)) return std::nullopt;
    seeds.push_back({lines_of(our_run / kOutputsFile), lines_of(their_run / kOutputsFile), references});
  }
  return compare_sentences(metric, seeds);
}

}  // namespace

std::string RunResult::outcome() const {
  if (!error.empty() && !value) return "failed";
  if (!pending && !value && summary.state == RunState::Finished) return "no value";
  return std::string(state_name(summary.state));
}

const ArmResult* SweepResults::find(const std::string& arm) const {
  const auto found = std::ranges::find_if(arms, [&](const ArmResult& one) { return one.arm.name == arm; });
  return found == arms.end() ? nullptr : &*found;
}

const ArmResult* SweepResults::best() const {
  const ArmResult* best = nullptr;
  for (const ArmResult& arm : arms) {
    if (!arm.mean) continue;
    if (!best || (higher_is_better ? *arm.mean > *best->mean : *arm.mean < *best->mean)) best = &arm;
  }
  return best;
}

bool SweepResults::complete() const {
  return std::ranges::none_of(runs, [](const RunResult& run) { return run.pending; });
}

RunResult read_result(const Sweep& sweep, const fs::path& out, const Run& run) {
  RunResult result{.run = run, .summary = read_run_summary(out / run.folder)};
  result.test = sweep.test ? read_test(out / run.folder) : std::map<std::string, double>{};
  result.pending = !result.summary.ended() ||
                   (sweep.test && result.summary.state == RunState::Finished && !is_tested(sweep, result));
  result.value = value_of(sweep.metric, result);
  return result;
}

SweepResults make_results(const Sweep& sweep, const fs::path& out, std::vector<RunResult> runs) {
  SweepResults results{
      .sweep = sweep, .out = out, .higher_is_better = higher_is_better(sweep.metric), .runs = std::move(runs)};
  const std::vector<Arm> arms = arms_of(sweep);
  std::vector<std::vector<size_t>> of_arm(arms.size());
  for (size_t i = 0; i < results.runs.size(); ++i) of_arm[results.runs[i].run.arm].push_back(i);
  for (size_t i = 0; i < arms.size(); ++i) results.arms.push_back(arm_result(arms[i], of_arm[i], results.runs));
  if (sweep.baseline.empty()) return results;
  for (size_t i = 0; i < arms.size(); ++i) {
    const std::optional<size_t> baseline = baseline_of(results, arms[i]);
    if (!baseline || *baseline == i) continue;
    results.comparisons.push_back({i, *baseline, difference(results, results.arms[i], results.arms[*baseline]), {}});
  }
  return results;
}

void compare_tests(SweepResults& results) {
  if (!results.sweep.test) return;
  for (ArmComparison& pair : results.comparisons) pair.test = test_comparison(results, pair);
}

SweepResults read_results(const Sweep& sweep, const fs::path& out) {
  std::vector<RunResult> runs;
  for (const Run& run : runs_of(sweep, arms_of(sweep))) runs.push_back(read_result(sweep, out, run));
  SweepResults results = make_results(sweep, out, std::move(runs));
  compare_tests(results);
  return results;
}

bool higher_is_better(const std::string& metric) {
  const MetricRow* row = find_metric(scorer_of(metric_name(metric)));
  return row && row->better == MetricRow::Better::Higher;
}

}  // namespace plumb::sweep
