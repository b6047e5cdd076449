#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "plumb/config/config.h"

namespace plumb {

/// Watches the numbers of a run. Divergence is a result: it is recorded with its reason and never averaged away.
///
/// - Too many updates in a row that were lost to NaN or infinity.
/// - A loss that leaves its band: more than `band_sigmas` deviations above its running mean.
/// - A loss that has grown, however slowly, to three times the unigram entropy and twice what it began with.
/// - Stuck: no validation loss 10 % below the unigram entropy of the target within `stuck_updates`.
class Guard {
 public:
  Guard(const TrainConfig& config, double unigram_entropy);

  /// After each update, with the mean loss per token. False if the run has to stop; `reason` then says why.
  bool healthy(int64_t update, double loss, bool applied, std::string& reason);
  /// After each validation, with the mean negative log-likelihood. False if the run has diverged.
  bool near(int64_t update, double valid_nll, std::string& reason) const;
  /// After each validation. False if the run is stuck.
  bool learning(int64_t update, double valid_nll, std::string& reason);

  /// What a checkpoint keeps.
  nlohmann::json state() const;
  void load(const nlohmann::json& state);

 private:
  bool is_far_off(double loss) const;

  const TrainConfig& config_;
  double unigram_entropy_;
  int64_t lost_in_a_row_ = 0, seen_ = 0;
  double mean_ = 0, variance_ = 0;
  double first_ = HUGE_VAL;  // loss
  double best_nll_ = HUGE_VAL;
};

}  // namespace plumb
