#include "plumb/train/outcome_policy.h"

#include <cmath>

namespace plumb {

std::optional<RunEnd> OutcomePolicy::after_update(int64_t update, const StepResult& result) {
  std::string reason;
  if (guard_.healthy(update, result.nll, result.applied, reason)) return {};
  return RunEnd{RunOutcome::Diverged, reason};
}

std::optional<RunEnd> OutcomePolicy::after_validation(int64_t update, const Validation& result) {
  const bool better = std::isfinite(result.loss) && (best_update_ < 0 || result.loss < best_loss_);
  if (better) {
    best_loss_ = result.loss;
    best_update_ = update;
  }
  bad_validations_ = better ? 0 : bad_validations_ + 1;
  std::string reason;
  if (!std::isfinite(result.loss)) return RunEnd{RunOutcome::Diverged, "the validation loss is not finite"};
  if (!guard_.near(update, result.nll, reason)) return RunEnd{RunOutcome::Diverged, reason};
  if (!guard_.learning(update, result.nll, reason)) return RunEnd{RunOutcome::Stuck, reason};
  if (config_.patience > 0 && bad_validations_ >= config_.patience) return RunEnd{RunOutcome::Finished};
  return {};
}

void OutcomePolicy::add_to(CheckpointState& state) const {
  state.guard = guard_.state();
  state.position.best_loss = best_loss_;
  state.position.best_update = best_update_;
  state.position.bad_validations = bad_validations_;
}

void OutcomePolicy::load(const CheckpointState& state) {
  guard_.load(state.guard);
  best_loss_ = state.position.best_loss;
  best_update_ = state.position.best_update;
  bad_validations_ = state.position.bad_validations;
}

// They see the same sums and so decide the same; should one not, all end as it does instead of waiting for it.
std::optional<RunEnd> agreed(Workers& workers, const std::optional<RunEnd>& mine) {
  const int64_t worst = workers.agree(mine ? 1 + static_cast<int64_t>(mine->outcome) : 0);
  if (worst == 0) return {};
  const auto outcome = static_cast<RunOutcome>(worst - 1);
  if (mine && mine->outcome == outcome) return mine;
  return RunEnd{outcome, "another worker ended the run"};
}

}  // namespace plumb
