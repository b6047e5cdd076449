#include "plumb/train/loss_trend.h"

#include <algorithm>

namespace plumb {
namespace {

constexpr int64_t kLevelsInWindow = 10, kRecentInWindow = 4;
constexpr double kLeastJump = 0.5;       // of the unigram entropy: a loss near zero has a band of no width
constexpr double kLargestEntropies = 6;  // of a value that enters the level, or
constexpr double kLargestFirsts = 4;
constexpr double kSameData = 1e-9;  // relative difference of two entropies

}  // namespace

LossTrend::LossTrend(const TrainConfig& config, double unigram_entropy)
    : config_(config), unigram_entropy_(unigram_entropy) {}

// Exponential averages; the first values count in full.
void LossTrend::add(double nll) {
  const bool outlier = is_above_band(nll);
  if (seen_ == 0) first_ = level_ = nll;
  ++seen_;
  const int64_t window = config_.band_window, recent = std::max<int64_t>(1, window / kRecentInWindow);
  const auto weight = [&](int64_t updates) { return 1.0 / static_cast<double>(std::min(seen_, updates)); };
  const double off = nll - level_, slow = weight(window);
  if (!outlier) {
    variance_ += slow * (off * off - variance_);
    mean_ += slow * (nll - mean_);
    recent_ += weight(recent) * (nll - recent_);
  }
  const double largest = std::max(kLargestEntropies * unigram_entropy_, kLargestFirsts * first_);
  level_ += weight(std::max<int64_t>(1, window / kLevelsInWindow)) * (std::min(nll, largest) - level_);
  if (seen_ >= recent) lowest_ = std::min(lowest_, recent_);  // a mean of a few values is low by luck
}

bool LossTrend::is_above_band(double nll) const {
  if (config_.band_sigmas == 0 || seen_ < config_.band_window) return false;
  const double jump = std::max(config_.band_sigmas * deviation(), kLeastJump * unigram_entropy_);
  return nll > mean_ + jump && nll > 2 * mean_;
}

void LossTrend::add_to(nlohmann::json& state) const {
  state.update({{"seen", seen_},
                {"first", known_or_null(first_)},
                {"level", level_},
                {"mean", mean_},
                {"variance", variance_},
                {"recent", recent_},
                {"lowest", known_or_null(lowest_)},
                {"unigram_entropy", unigram_entropy_}});
}

void LossTrend::load(const nlohmann::json& state) {
  const double entropy = state.value("unigram_entropy", unigram_entropy_);
  if (std::abs(entropy - unigram_entropy_) > kSameData * entropy) return;
  seen_ = state.at("seen");
  first_ = known_or_huge(state, "first");
  mean_ = state.at("mean");
  level_ = state.value("level", mean_);
  recent_ = state.value("recent", mean_);
  variance_ = state.at("variance");
  lowest_ = known_or_huge(state, "lowest");
}

nlohmann::json known_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

double known_or_huge(const nlohmann::json& state, const char* key) {
  const auto found = state.find(key);
  return found == state.end() || found->is_null() ? HUGE_VAL : found->get<double>();
}

}  // namespace plumb
