#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace plumb {

struct BootstrapOptions {
  size_t resamples = 1000;
  uint64_t seed = 12345;  // sacreBLEU's
};

/// One system over the resamples: the score of the real test set, the mean, and the interval that holds 95 %.
struct Resampled {
  double score = 0, mean = 0, low = 0, high = 0;
};

struct PairedBootstrap {
  Resampled system, baseline;
  double p_value = 1;
};

/// Statistics of each sentence that add up; all rows have the same length.
using SentenceStatistics = std::vector<std::vector<double>>;
using ScoreOfSum = std::function<double(std::span<const double> sum)>;

/// Several scores of the same test set.
using ScoresOfSum = std::function<std::vector<double>(std::span<const double> sum)>;

/// How far each score depends on which sentences were in the test set: test sets of the same size are drawn from the
/// real one with replacement, and each is scored. A draw without a score (an error rate needs words in the references)
/// is drawn again.
std::vector<Resampled> bootstrap(const SentenceStatistics& sentences, const ScoresOfSum& scores,
                                 const BootstrapOptions& options = {});

/// Is a difference between two systems more than the luck of which sentences were in the test set (Koehn 2004)? Test
/// sets of the same size are drawn from the real one with replacement, the same sentences for both systems, and each is
/// scored. The p-value is the two-sided one of Moses and sacreBLEU: how often |difference|, minus its mean over
/// the resamples, reaches the real |difference|.
PairedBootstrap paired_bootstrap(const SentenceStatistics& system, const SentenceStatistics& baseline,
                                 const ScoreOfSum& score, const BootstrapOptions& options = {});

/// For signature(): "bs:1000|seed:12345"
std::string bootstrap_settings(const BootstrapOptions& options = {});

}  // namespace plumb
