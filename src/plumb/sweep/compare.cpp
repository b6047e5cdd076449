#include "plumb/sweep/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "plumb/base/random_stream.h"
#include "plumb/metric/bootstrap.h"

namespace plumb::sweep {
namespace {

constexpr size_t kExactUpTo = 8;  // 6435 different resamples
constexpr int kDrawn = 100'000;
constexpr double kInside = 0.95;

/// A resample's mean and how likely it is.
struct Resample {
  double mean, probability;
};

// Resamples that hold the same values in another order are one: counts k_1 + ... + k_n = n with the probability
// n! / (k_1! ... k_n!) / n^n.
std::vector<Resample> all_resamples(std::span<const double> values) {
  const auto n = static_cast<int>(values.size());
  std::vector<Resample> resamples;
  const double every = std::lgamma(n + 1) - n * std::log(n);
  const std::function<void(size_t, int, double, double)> choose = [&](size_t i, int left, double sum, double log_p) {
    if (i + 1 == values.size()) {
      resamples.push_back({(sum + left * values[i]) / n, std::exp(every + log_p - std::lgamma(left + 1))});
      return;
    }
    for (int k = 0; k <= left; ++k) choose(i + 1, left - k, sum + k * values[i], log_p - std::lgamma(k + 1));
  };
  choose(0, n, 0, 0);
  return resamples;
}

std::vector<Resample> drawn_resamples(std::span<const double> values) {
  RandomStream random(BootstrapOptions{}.seed, "sweep.bootstrap");
  std::vector<Resample> resamples;
  for (int i = 0; i < kDrawn; ++i) {
    double sum = 0;
    for (size_t k = 0; k < values.size(); ++k) sum += values[random.below(values.size())];
    resamples.push_back({sum / static_cast<double>(values.size()), 1.0 / kDrawn});
  }
  return resamples;
}

// How much of Student's distribution lies within -t .. t (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
double student_within(double t, int64_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees))), cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double sum = 0, term = odd ? cosine : 1;
  for (int64_t power = odd ? 1 : 0; power <= degrees - 2; power += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(power + 1) / static_cast<double>(power + 2);
  }
  sum *= std::sin(angle);
  return odd ? 2 / std::numbers::pi * (angle + sum) : sum;
}

// The t that has 95 % within.
double student_quantile(int64_t degrees) {
  double low = 0, high = 16;  // one degree has 12.7
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (student_within(middle, degrees) < kInside ? low : high) = middle;
  }
  return high;
}

// How many resamples of n values are left out at each end: Phi(-sqrt(n / (n - 1)) t).
double expanded_tail(int64_t n) {
  const double wider = std::sqrt(static_cast<double>(n) / static_cast<double>(n - 1));
  return std::erfc(wider * student_quantile(n - 1) / std::numbers::sqrt2) / 2;
}

// The outermost value that is reached, from its side, with at least the probability `tail`. The 1e-9 is for sums of
// rounded probabilities.
template <class Resamples>
double tail_end(const Resamples& from_outside, double tail) {
  double probability = 0;
  for (const Resample& one : from_outside) {
    probability += one.probability;
    if (probability >= tail - 1e-9) return one.mean;
  }
  throw std::logic_error("the probabilities of a bootstrap do not add up");
}

SentenceStatistics statistics(const Measure& measure, const std::vector<std::string>& outputs,
                              const std::vector<std::string>& references) {
  SentenceStatistics rows;
  for (size_t i = 0; i < outputs.size(); ++i) rows.push_back(measure.count(outputs[i], std::span(&references[i], 1)));
  return rows;
}

void add_rows(SentenceStatistics& total, const SentenceStatistics& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < rows[i].size(); ++k) total[i][k] += rows[i][k];
  }
}

}  // namespace

PairedDifference paired_difference(std::span<const double> ours, std::span<const double> theirs) {
  if (ours.size() != theirs.size()) throw std::invalid_argument("paired_difference: values without a partner");
  std::vector<double> differences(ours.size());
  for (size_t i = 0; i < ours.size(); ++i) differences[i] = ours[i] - theirs[i];
  PairedDifference result;
  result.pairs = std::ssize(differences);
  if (differences.empty()) return result;
  result.mean = std::accumulate(differences.begin(), differences.end(), 0.0) / static_cast<double>(result.pairs);
  result.above = std::ranges::count_if(differences, [](double d) { return d > 0; });
  result.below = std::ranges::count_if(differences, [](double d) { return d < 0; });
  if (result.pairs < 2) return result;
  result.coverage = 1 - std::pow(2.0, 1 - static_cast<double>(result.pairs));
  std::vector<Resample> resamples =
      differences.size() <= kExactUpTo ? all_resamples(differences) : drawn_resamples(differences);
  const double tail = expanded_tail(result.pairs);
  std::ranges::sort(resamples, {}, &Resample::mean);
  result.low = tail_end(resamples, tail);
  std::ranges::reverse(resamples);
  result.high = tail_end(resamples, tail);
  return result;
}

std::optional<SentenceComparison> compare_sentences(const std::string& metric, std::span<const SeedOutputs> seeds) {
  const Measure measure = make_measure(metric);
  SentenceStatistics ours, theirs;
  for (const SeedOutputs& seed : seeds) {
    if (seed.ours.size() != seed.references.size() || seed.theirs.size() != seed.references.size()) return std::nullopt;
    const SentenceStatistics our_rows = statistics(measure, seed.ours, seed.references);
    const SentenceStatistics their_rows = statistics(measure, seed.theirs, seed.references);
    const bool same_sentences = std::ranges::all_of(
        seeds, [&](const SeedOutputs& other) { return other.references == seeds.front().references; });
    if (same_sentences && !ours.empty()) {
      add_rows(ours, our_rows);
      add_rows(theirs, their_rows);
    } else {
      ours.insert(ours.end(), our_rows.begin(), our_rows.end());
      theirs.insert(theirs.end(), their_rows.begin(), their_rows.end());
    }
  }
  if (ours.empty()) return std::nullopt;
  try {
    const PairedBootstrap pair =
        paired_bootstrap(ours, theirs, [&](std::span<const double> sum) { return measure.score(sum).value; });
    return SentenceComparison{metric,      std::ssize(ours), std::ssize(seeds), pair.system.score, pair.baseline.score,
                              pair.p_value};
  } catch (const std::invalid_argument&) {  // no score at all: an error rate without a word in the references
    return std::nullopt;
  }
}

}  // namespace plumb::sweep
