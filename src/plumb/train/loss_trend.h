#pragma once

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "plumb/config/config.h"

namespace plumb {

/// Running statistics of a noisy training loss (NLL in nats per token), made to be compared with the unigram entropy.
///
/// - `level`: where the loss is now, a mean over a tenth of `train.band_window` updates. A single value enters it with
///   at most six times the unigram entropy (or four times the first loss), so that one absurd batch is soon forgotten.
/// - `mean` and `deviation`: over `train.band_window` updates. The deviation is that from the level, so the fall of a
///   loss does not widen the band, and values above the band enter neither.
/// - `lowest`: the lowest mean over a quarter of a window so far: what the run had reached. The mean over a whole
/// window
///   would still contain the early fall of a run that diverges soon.
class LossTrend {
 public:
  /// The config lives longer than the trend.
  LossTrend(const TrainConfig& config, double unigram_entropy);

  void add(double nll);

  double first() const { return first_; }
  double level() const { return level_; }
  double mean() const { return mean_; }
  double deviation() const { return std::sqrt(variance_); }
  double lowest() const { return lowest_; }
  /// More than `train.band_sigmas` deviations above the mean, twice the mean, and a jump that matters. Never before the
  /// mean looks back on a whole window.
  bool is_above_band(double nll) const;

  /// Adds its numbers to the guard's part of a checkpoint's state.
  void add_to(nlohmann::json& state) const;
  /// States of older versions lack some: the trend then starts from what they have. Statistics of other data (another
  /// unigram entropy) are not continued.
  void load(const nlohmann::json& state);

 private:
  const TrainConfig& config_;
  double unigram_entropy_;
  int64_t seen_ = 0;
  double first_ = HUGE_VAL;
  double level_ = 0, mean_ = 0, variance_ = 0;
  double recent_ = 0;  // mean over a quarter of a window
  double lowest_ = HUGE_VAL;
};

/// JSON has no infinity: a number that is not known yet is null.
nlohmann::json known_or_null(double value);
/// HUGE_VAL if it is missing or null.
double known_or_huge(const nlohmann::json& state, const char* key);

}  // namespace plumb
