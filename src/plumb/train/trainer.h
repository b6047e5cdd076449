#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "plumb/base/jsonl.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/optim/optimiser.h"
#include "plumb/runs/outcome.h"
#include "plumb/runs/run_lock.h"
#include "plumb/runs/tensorboard.h"
#include "plumb/task/task.h"
#include "plumb/train/changes.h"
#include "plumb/train/checkpoint_writer.h"
#include "plumb/train/guard.h"
#include "plumb/train/phase.h"
#include "plumb/train/prefetch.h"
#include "plumb/train/signals.h"
#include "plumb/train/status.h"

namespace plumb {

/// Trains a model into a run directory. One object is one process's share of a run; `resume` continues exactly where
/// the newest whole checkpoint stands: batches, dropout and schedule are pure functions of (seed, epoch, update).
class Trainer {
 public:
  Trainer(const Config& config, const Prepared& data, const std::filesystem::path& run);

  /// Goes back to the newest whole checkpoint; false if there is none. Throws UserError, naming what differs, if it was
  /// trained with another config or other data, unless `allow_changes`.
  bool resume(bool allow_changes);

  /// What the user typed, for the log.
  void made_by(std::string command) { command_ = std::move(command); }

  RunOutcome run();
  /// After an interrupted run.
  int caught_signal() const { return signals_.caught(); }

 private:
  struct Position {
    int64_t update = 0;
    int64_t epoch = 0;
    int64_t batch = 0;   // of the epoch
    int64_t tokens = 0;  // target tokens seen so far
    double best_loss = 0;
    int64_t best_update = -1;
    int64_t bad_validations = 0;
  };
  struct StepResult {
    double loss = 0, nll = 0;  // mean per token
    double gradient_norm = 0;
    int64_t tokens = 0, rows = 0;
    double fill = 0;  // share of the token budget
    bool applied = true;
  };

  /// The changes since a checkpoint; throws if they matter and are not allowed.
  Changes accepted_changes(int64_t update, bool allow_changes) const;
  void go_to(const nlohmann::json& state);
  bool finished() const;
  const std::vector<SentenceList>& batches();
  /// Before the first update: weights from elsewhere, or what the variant wants to be measured.
  void start_weights();
  StepResult step();
  void report_nonfinite(const TrainingBatch& last, const StepResult& result);
  void log_step(const StepResult& last);
  /// Of the mean over tokens, which the gradients become when they are multiplied by `scale`.
  void log_gradients(double scale);
  /// False if the run has to end.
  bool validate_now();
  void save();
  /// The last lines of log and terminal: the outcome, and what the last validation is worth.
  void log_end();
  void event(const std::string& kind, nlohmann::json details = {});
  double epoch_progress() const;
  Draw draw() const;
  /// Of the outputs for the validation set, by a metric of the catalogue; logs the first of them.
  double valid_score(const std::string& metric);

  PhaseFile phase_;
  Config config_;
  Prepared data_;
  std::filesystem::path run_;
  std::string command_;
  RunLock lock_;
  std::unique_ptr<Task> task_;
  std::unique_ptr<TaskCorpus> train_, valid_;
  Prefetch prefetch_{*train_};
  RunIdentity identity_;
  Transformer model_;
  std::unique_ptr<Optimiser> optimiser_;
  ScheduleConfig schedule_;
  Guard guard_;
  Checkpoints checkpoints_;
  CheckpointWriter writer_{checkpoints_, phase_};
  JsonlWriter log_;
  std::optional<TensorBoardWriter> board_;
  StatusLine status_;
  SignalWatch signals_;
  Position at_;
  int64_t saved_update_ = -1;  // of the newest checkpoint
  /// Sums over the updates since the last train record; lost ones are events of their own.
  struct Interval {
    double loss = 0, nll = 0;
    int64_t tokens = 0, rows = 0, updates = 0;
    double fill = 0;
  } interval_;
  RunOutcome outcome_ = RunOutcome::Finished;
  std::optional<double> last_valid_nll_;
  int64_t planned_epoch_ = -1;
  std::vector<SentenceList> plan_;
};

}  // namespace plumb
