#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plumb/config/config.h"
#include "plumb/dist/workers.h"
#include "plumb/runs/checkpoint_state.h"
#include "plumb/runs/outcome.h"
#include "plumb/task/task.h"
#include "plumb/train/guard.h"
#include "plumb/train/step.h"

namespace plumb {

/// Why a run has to end before its last update: an outcome with its reason, or patience that has run out
/// (`RunOutcome::Finished`).
struct RunEnd {
  RunOutcome outcome;
  std::string reason = {};
};

/// Decides after updates and validations whether a run continues. It keeps the best validation, which is never one that
/// is not finite, and a guard over all numbers.
class OutcomePolicy {
 public:
  /// The config lives longer than the policy.
  OutcomePolicy(const TrainConfig& config, double unigram_entropy) : config_(config), guard_(config, unigram_entropy) {}

  std::optional<RunEnd> after_update(int64_t update, const StepResult& result);
  std::optional<RunEnd> after_validation(int64_t update, const Validation& result);

  /// The update of the best validation, -1 before the first one.
  int64_t best_update() const { return best_update_; }

  /// Adds `guard` and a part of `position` to the state that a checkpoint keeps.
  void add_to(CheckpointState& state) const;
  void load(const CheckpointState& state);

 private:
  const TrainConfig& config_;
  Guard guard_;
  double best_loss_ = 0;
  int64_t best_update_ = -1;
  int64_t bad_validations_ = 0;  // in a row
};

/// The end that all workers act on: the worst that one of them has found.
std::optional<RunEnd> agreed(Workers& workers, const std::optional<RunEnd>& mine);

}  // namespace plumb
