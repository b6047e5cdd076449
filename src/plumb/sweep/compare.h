#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/metric/measure.h"

namespace plumb::sweep {

/// The mean of paired differences, one for each seed, and the 95 % interval of it by the bootstrap. Resamples of few
/// values vary less than means do, by sqrt((n - 1) / n), and have no tails of Student's: the interval that holds 95 %
/// of them would hold the true difference of six seeds in 86 % of all cases. So it holds more of them, as many as give
/// Student's interval where differences are normal (Hesterberg 2015, "What Teachers Should Know About the Bootstrap",
/// the expanded percentile interval). One pair has no interval. The interval lies within the differences themselves, so
/// that with n of them it holds the true (median) difference in at most 1 - 2^(1-n) of all cases: `coverage`.
struct PairedDifference {
  int64_t pairs = 0;
  double mean = 0;                  // 0 without pairs
  std::optional<double> low, high;  // from two pairs on
  int64_t above = 0, below = 0;     // how many differences are > 0 and < 0
  double coverage = 0;

  bool interval_has_zero() const { return !low || (*low <= 0 && *high >= 0); }
};

/// Exact, over all n^n resamples, for up to eight pairs; beyond over 100,000 drawn ones.
PairedDifference paired_difference(std::span<const double> ours, std::span<const double> theirs);

/// Two systems on the sentences of a test set, over all seeds together (Koehn 2004, metric/bootstrap.h).
struct SentenceComparison {
  std::string metric;
  int64_t sentences = 0, seeds = 0;
  double score = 0, baseline = 0, p_value = 1;
};

/// The outputs of both for one seed, and what they are compared with.
struct SeedOutputs {
  std::vector<std::string> ours, theirs, references;
};

/// Seeds that were tested on the same sentences are drawn together: a sentence is hard for all of them. Those with
/// sentences of their own, as built-in data has, add theirs. Nothing without sentences.
std::optional<SentenceComparison> compare_sentences(const std::string& metric, std::span<const SeedOutputs> seeds);

}  // namespace plumb::sweep
