#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/runs/log_records.h"
#include "plumb/runs/outcome.h"
#include "plumb/train/outcome_policy.h"
#include "plumb/train/run_progress.h"
#include "plumb/train/step.h"
#include "plumb/train/validation_report.h"

namespace plumb {

/// Everything that a run says about itself. A record is made once, and goes from here to log.jsonl, to TensorBoard and
/// to the status line.
class TrainingLog {
 public:
  /// Writes into the run directory, unless another worker `writes`; then this one keeps silent.
  TrainingLog(const std::filesystem::path& run, const TrainConfig& config, bool writes);
  ~TrainingLog();

  /// What the user typed, for the record of the start.
  void made_by(std::string command) { command_ = std::move(command); }

  void started(StartedEvent event);
  void pretrained(const std::string& run, const std::vector<std::string>& new_parameters);
  /// `last`: there is no other one to try.
  void damaged_checkpoint(int64_t update, const std::string& error, bool last);
  /// From a checkpoint; `changes` as ResumeChanges::all() has them.
  void resumed(int64_t update, const std::vector<std::string>& changes);

  /// A line for the user that is not part of the log.
  void say(const std::string& text);

  /// After each update, which counts from 0: it becomes part of the next train record, or an event if it was lost.
  void step(int64_t update, const StepResult& result);
  /// The norms of sublayer_gradient_norms().
  void gradients(int64_t update, const std::map<std::string, double>& norms);
  /// What happened since the last call.
  void train(const RunProgress& at, const StepResult& last);
  void valid(const RunProgress& at, const ValidationReport& report, bool best);

  /// Why the run ends early.
  void ending(int64_t update, const RunEnd& end, int64_t best_update);
  /// With what the last validation is worth: its loss as a share of the unigram entropy.
  void ended(int64_t update, RunOutcome outcome, double unigram_entropy);

 private:
  struct Outputs;
  /// Sums over the updates since the last train record.
  struct Interval {
    double loss = 0, nll = 0;
    int64_t tokens = 0, rows = 0, updates = 0;
    double fill = 0;
  };

  TrainRecord mean(const RunProgress& at, const StepResult& last);
  void write(const LogRecord& record);

  std::filesystem::path run_;
  int64_t max_update_;
  std::string command_;
  std::unique_ptr<Outputs> outputs_;  // null for a silent worker
  Interval interval_;
  std::optional<double> last_valid_nll_;
  std::chrono::steady_clock::time_point interval_start_ = std::chrono::steady_clock::now();
};

}  // namespace plumb
