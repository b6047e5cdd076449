#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "plumb/config/config.h"
#include "plumb/train/loss_trend.h"

namespace plumb {

/// Watches the numbers of a run. Divergence is a result: it is recorded with its reason and never averaged away.
///
/// A run has diverged after
/// - `nonfinite_steps` updates in a row that were lost to NaN or infinity;
/// - 10 updates in a row with a loss above ten times the unigram entropy;
/// - a loss that went wrong and stays there. Wrong is a level (loss_trend.h) that is
///     far off: above three times the unigram entropy;
///     above its band: a jump by `band_sigmas` deviations and by half the unigram entropy;
///     back: four fifths of what the lowest mean had gained below the unigram entropy are lost again.
///   The first quarter of a window is free, and the count starts again after every quarter that took the level 5 % of
///   the way back down: spikes that recover are healthy. What then stays for another quarter (back: for three of them,
///   or for one if the validation loss has lost four fifths, too) has diverged; an eighth is enough for the validation
///   at the last update.
/// Losses far off or above ten entropies must also be twice the first one. `band_sigmas = 0` turns all but the first
/// rule off.
///
/// A run is stuck without a validation loss 10 % below the unigram entropy of the target within `stuck_updates`.
class Guard {
 public:
  /// The config lives longer than the guard.
  Guard(const TrainConfig& config, double unigram_entropy);

  /// After each update, with the mean NLL per token. False if the run has to stop; `reason` then says why.
  bool healthy(int64_t update, double nll, bool applied, std::string& reason);
  /// After each validation, with the mean NLL. False if the run has diverged.
  bool near(int64_t update, double valid_nll, std::string& reason) const;
  /// After each validation. False if the run is stuck.
  bool learning(int64_t update, double valid_nll, std::string& reason);

  /// What a checkpoint keeps.
  nlohmann::json state() const;
  void load(const nlohmann::json& state);

 private:
  enum class Wrong { Nothing, FarOff, AboveBand, Back };

  Wrong wrong() const;
  bool is_far_off(double nll) const;
  bool is_times_the_entropy(double nll, double times) const;  // and twice what it began with
  bool is_back(double nll, double best) const;
  void count(double nll);
  bool is_falling() const;
  int64_t quarter() const;  // of a window
  std::string reason_of(Wrong wrong) const;

  const TrainConfig& config_;
  double unigram_entropy_;
  LossTrend trend_;
  int64_t lost_in_a_row_ = 0, huge_in_a_row_ = 0;
  // While something is wrong: updates since it began, those of them that count, and the level a quarter ago.
  int64_t wrong_for_ = 0, stayed_for_ = 0;
  double level_before_ = HUGE_VAL;
  double best_nll_ = HUGE_VAL;
};

}  // namespace plumb
