#include "plumb/metric/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "plumb/base/random_stream.h"

namespace plumb {
namespace {

std::vector<double> sum_of(const SentenceStatistics& sentences, std::span<const size_t> chosen) {
  std::vector<double> sum(sentences.front().size(), 0.0);
  for (const size_t i : chosen) {
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += sentences[i][k];
  }
  return sum;
}

/// Which sentences a drawn test set has.
class Draws {
 public:
  Draws(size_t sentences, const BootstrapOptions& options) : random_(options.seed, "bootstrap"), chosen_(sentences) {
    std::iota(chosen_.begin(), chosen_.end(), size_t{0});
  }
  /// At first the real test set.
  std::span<const size_t> chosen() const { return chosen_; }
  void draw() {
    for (size_t& i : chosen_) i = random_.below(chosen_.size());
  }

 private:
  RandomStream random_;
  std::vector<size_t> chosen_;
};

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
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

std::vector<Resampled> bootstrap(const SentenceStatistics& sentences, const ScoresOfSum& scores,
                                 const BootstrapOptions& options) {
  if (sentences.empty() || options.resamples == 0) {
    throw std::invalid_argument("bootstrap: needs sentences, and resamples");
  }
  Draws draws(sentences.size(), options);
  const std::vector<double> real = scores(sum_of(sentences, draws.chosen()));
  if (!all_finite(real)) throw std::invalid_argument("bootstrap: the real test set has no score");

  std::vector<std::vector<double>> resampled(real.size());
  while (resampled.front().size() < options.resamples) {
    draws.draw();
    const std::vector<double> drawn = scores(sum_of(sentences, draws.chosen()));
    if (!all_finite(drawn)) continue;
    for (size_t k = 0; k < real.size(); ++k) resampled[k].push_back(drawn[k]);
  }
  std::vector<Resampled> results;
  for (size_t k = 0; k < real.size(); ++k) results.push_back(summary(real[k], std::move(resampled[k])));
  return results;
}

PairedBootstrap paired_bootstrap(const SentenceStatistics& system, const SentenceStatistics& baseline,
                                 const ScoreOfSum& score, const BootstrapOptions& options) {
  if (system.empty() || system.size() != baseline.size() || options.resamples == 0) {
    throw std::invalid_argument("paired bootstrap: needs the same sentences of both systems, and resamples");
  }
  Draws draws(system.size(), options);
  const auto both = [&] {
    return std::array{score(sum_of(system, draws.chosen())), score(sum_of(baseline, draws.chosen()))};
  };
  const auto real = both();
  if (!all_finite(real)) throw std::invalid_argument("paired bootstrap: the real test set has no score");

  std::vector<double> ours, theirs, differences;
  while (ours.size() < options.resamples) {
    draws.draw();
    const auto drawn = both();
    if (!all_finite(drawn)) continue;
    ours.push_back(drawn[0]);
    theirs.push_back(drawn[1]);
    differences.push_back(std::abs(drawn[0] - drawn[1]));
  }
  return {summary(real[0], std::move(ours)), summary(real[1], std::move(theirs)),
          p_value(differences, std::abs(real[0] - real[1]))};
}

std::string bootstrap_settings(const BootstrapOptions& options) {
  return fmt::format("bs:{}|seed:{}", options.resamples, options.seed);
}

}  // namespace plumb
