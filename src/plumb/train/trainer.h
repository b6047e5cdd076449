#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "plumb/checkpoint/checkpoint.h"
#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/dist/one_worker.h"
#include "plumb/process/signals.h"
#include "plumb/runs/run_lock.h"
#include "plumb/train/batch_cursor.h"
#include "plumb/train/checkpoint_writer.h"
#include "plumb/train/outcome_policy.h"
#include "plumb/train/phase.h"
#include "plumb/train/step.h"
#include "plumb/train/training_data.h"
#include "plumb/train/training_log.h"

namespace plumb {

/// Trains a model into a run directory. One object is one process's share of a run; `resume` continues exactly where
/// the newest whole checkpoint stands: batches, dropout and schedule are pure functions of (seed, epoch, update).
///
/// With several workers each has a trainer, and all of them do the same: updates, validations and decisions are those
/// of all workers. Only the worker of rank 0 writes.
class Trainer {
 public:
  /// `lock` is that of the run, for those who have taken it before; otherwise the trainer takes it.
  Trainer(const Config& config, const Prepared& data, const std::filesystem::path& run,
          std::unique_ptr<Workers> workers = std::make_unique<OneWorker>(), std::optional<RunLock> lock = {});

  /// Goes back to the newest whole checkpoint; false if there is no checkpoint at all. Throws DamagedFile, naming them,
  /// if none of them is whole, and UserError, naming what differs, if it was trained with another config or other data,
  /// unless `allow_changes`.
  bool resume(bool allow_changes);

  /// Begins at update 0 in the directory of an earlier run, whose checkpoints are set aside.
  void restart();

  /// What the user typed, for the log.
  void made_by(std::string command) { log_.made_by(std::move(command)); }

  RunOutcome run();
  /// After an interrupted run: the signal, which another worker may have caught.
  int caught_signal() const { return signal_; }

 private:
  struct Position {
    int64_t update = 0;
    int64_t tokens = 0;         // target tokens seen so far
    int64_t saved_update = -1;  // of the newest checkpoint
  };

  void go_to(const CheckpointState& state, const std::string& where);
  bool finished() const;
  RunProgress progress() const { return {at_.update, batches_.epochs(), at_.tokens}; }
  /// Before the first update.
  void start();
  /// One update and what is due after it. Gives a reason to end, if there is one.
  std::optional<RunEnd> advance();
  StepResult step();
  std::optional<RunEnd> validate_now();
  void save();
  /// Why the weights are not worth a checkpoint; empty if they are.
  std::string unfit_to_be_saved() const;

  PhaseFile phase_;
  const Config config_;
  const std::filesystem::path run_;
  const std::unique_ptr<Workers> workers_;
  const std::optional<RunLock> lock_;
  const TrainingData data_;
  const RunIdentity identity_;
  Transformer model_;
  BatchCursor batches_;
  Step step_;
  OutcomePolicy policy_;
  Checkpoints checkpoints_;
  CheckpointWriter writer_{checkpoints_, phase_};
  TrainingLog log_;
  // They ask the run to finish its step, save and stop; a second one ends it at once, and so does the first if the run
  // does not get that far.
  CaughtSignals signals_{{SIGINT, SIGTERM, SIGHUP}, CaughtSignals::Second::EndsTheProcess};
  int signal_ = 0;  // that all workers act on
  Position at_;
  bool validation_finite_ = true;  // the last one
  nlohmann::json kept_ =
      nlohmann::json::object();  // the statistics in the run directory, for the state of a checkpoint
};

}  // namespace plumb
