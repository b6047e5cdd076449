#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/runs/run_summary.h"
#include "plumb/sweep/compare.h"
#include "plumb/sweep/sweep.h"

namespace plumb::sweep {

/// What became of one run.
struct RunResult {
  Run run;
  RunSummary summary;
  std::map<std::string, double> test = {};  // loss, ppl, bleu, ... of the test set
  std::optional<double> value = {};         // of Sweep::metric, if the run finished and has it
  bool pending = true;                      // it has not ended, or is still to be tested
  std::string error = {};                   // what the engine said last, if it could not do its work
  int exit_code = 0;                        // of that process; 0: a signal killed it

  /// A failure is a result: it diverged, got stuck, could not be done, or has no finite value.
  bool failed() const { return !value && (!pending || !error.empty()); }
  std::string outcome() const;  // finished, stuck, diverged, ..., failed
};

/// An arm over its seeds. There is a mean only if every run finished: a failure is never left out of one.
struct ArmResult {
  Arm arm;
  std::vector<size_t> runs;  // indices into SweepResults::runs, in the order of the seeds
  int64_t finished = 0, failed = 0, unfinished = 0;
  std::optional<double> mean = {}, deviation = {};  // deviation: of the sample, from two runs on
  std::map<std::string, int64_t> outcomes = {};
};

/// An arm against the baseline.
struct ArmComparison {
  size_t arm = 0, baseline = 0;
  PairedDifference difference;             // arm minus baseline; without pairs if a run of either failed or is not done
  std::optional<SentenceComparison> test;  // over the sentences of the test set, if both have outputs
};

struct SweepResults {
  Sweep sweep;
  std::filesystem::path out;
  bool higher_is_better = false;
  std::vector<RunResult> runs;       // in the order of runs_of()
  std::vector<ArmResult> arms = {};  // in the order of arms_of()
  std::vector<ArmComparison> comparisons = {};

  const ArmResult* find(const std::string& arm) const;  // by name; nullptr: there is none
  /// The arm with the best mean; nullptr if no arm has one.
  const ArmResult* best() const;
  bool complete() const;  // every run has ended, one way or another
};

/// What the directories of the runs hold, read anew.
RunResult read_result(const Sweep& sweep, const std::filesystem::path& out, const Run& run);

/// Means, failures and comparisons of `runs`, which are those of runs_of() in order.
SweepResults make_results(const Sweep& sweep, const std::filesystem::path& out, std::vector<RunResult> runs);

/// Fills in ArmComparison::test from the outputs in the runs' folders: seconds, where there are many.
void compare_tests(SweepResults& results);

/// All at once, from the directory alone.
SweepResults read_results(const Sweep& sweep, const std::filesystem::path& out);

/// sweep.json; docs/sweep.md has its schema.
nlohmann::json to_json(const SweepResults& results);

/// Files of a run's folder that a sweep adds.
inline constexpr char kTestFile[] = "test.json", kOutputsFile[] = "test.outputs.txt",
                      kReferencesFile[] = "test.references.txt";

/// Which way `metric` is better, with or without "last." or "test.".
bool higher_is_better(const std::string& metric);

}  // namespace plumb::sweep
