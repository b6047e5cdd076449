#include "plumb/metric/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "plumb/base/random_stream.h"

namespace plumb {
namespace {

double score_of(const SentenceStatistics& sentences, std::span<const size_t> chosen, const ScoreOfSum& score) {
  std::vector<double> sum(sentences.front().size(), 0.0);
  for (const size_t i : chosen) {
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += sentences[i][k];
  }
  return score(sum);
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Resampled summary(double score, std::vector<double> resampled) {
  std::ranges::sort(resampled);
  const size_t beyond = resampled.size() / 40;  // 2.5 % on either side
  return {score, mean_of(resampled), resampled[beyond], resampled[resampled.size() - 1 - beyond]};
}

// One is added to both counts, since the real test set is one of the possible draws: no p-value is 0. sacreBLEU counts
// "greater" only, which would call a system significantly different from itself; "reaches" gives it 1.
double p_value(std::span<const double> differences, double real) {
  const double mean = mean_of(differences);
  const auto reached = std::ranges::count_if(differences, [&](double d) { return d - mean >= real; });
  return static_cast<double>(reached + 1) / static_cast<double>(differences.size() + 1);
}

}  // namespace

PairedBootstrap paired_bootstrap(const SentenceStatistics& system, const SentenceStatistics& baseline,
                                 const ScoreOfSum& score, const BootstrapOptions& options) {
  if (system.empty() || system.size() != baseline.size() || options.resamples == 0) {
    throw std::invalid_argument("paired bootstrap: needs the same sentences of both systems, and resamples");
  }
  RandomStream random(options.seed, "bootstrap");
  std::vector<size_t> chosen(system.size());
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  const double system_score = score_of(system, chosen, score), baseline_score = score_of(baseline, chosen, score);

  std::vector<double> ours, theirs, differences;
  for (size_t sample = 0; sample < options.resamples; ++sample) {
    for (size_t& i : chosen) i = random.below(system.size());
    ours.push_back(score_of(system, chosen, score));
    theirs.push_back(score_of(baseline, chosen, score));
    differences.push_back(std::abs(ours.back() - theirs.back()));
  }
  return {summary(system_score, std::move(ours)), summary(baseline_score, std::move(theirs)),
          p_value(differences, std::abs(system_score - baseline_score))};
}

std::string bootstrap_settings(const BootstrapOptions& options) {
  return fmt::format("bs:{}|seed:{}", options.resamples, options.seed);
}

}  // namespace plumb
