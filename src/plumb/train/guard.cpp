#include "plumb/train/guard.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plumb {
namespace {

constexpr double kMustBeat = 0.9;   // of the unigram entropy
constexpr double kFarOff = 3;       // times the unigram entropy, and twice what it began with: no slow start
constexpr double kLeastJump = 0.1;  // of the unigram entropy: a loss near zero has a band of no width

}  // namespace

Guard::Guard(const TrainConfig& config, double unigram_entropy) : config_(config), unigram_entropy_(unigram_entropy) {}

bool Guard::healthy(int64_t update, double loss, bool applied, std::string& reason) {
  if (!applied) {
    if (++lost_in_a_row_ < config_.nonfinite_steps) return true;
    reason = fmt::format("{} updates in a row were not finite, the last is {}", lost_in_a_row_, update);
    return false;
  }
  lost_in_a_row_ = 0;
  const double deviation = std::sqrt(variance_);
  const bool band_is_known = seen_ >= config_.band_window;
  const double jump = std::max(config_.band_sigmas * deviation, kLeastJump * unigram_entropy_);
  if (config_.band_sigmas > 0 && band_is_known && loss > mean_ + jump && loss > 2 * mean_) {
    reason = fmt::format("the loss jumped to {:.3f} from a running mean of {:.3f} +- {:.3f}", loss, mean_, deviation);
    return false;
  }
  if (seen_ == 0) first_ = loss;
  // Exponential averages over the window; the first values count in full.
  ++seen_;
  const double weight = 1.0 / static_cast<double>(std::min(seen_, config_.band_window));
  const double off = loss - mean_;
  mean_ += weight * off;
  variance_ = (1 - weight) * (variance_ + weight * off * off);
  if (seen_ < config_.band_window || !is_far_off(mean_)) return true;
  reason = fmt::format(
      "the running mean of the loss is {:.3f}, far above the {:.3f} that it began with and the unigram "
      "entropy of {:.3f}",
      mean_, first_, unigram_entropy_);
  return false;
}

bool Guard::is_far_off(double loss) const {
  return config_.band_sigmas > 0 && loss > kFarOff * unigram_entropy_ && loss > 2 * first_;
}

bool Guard::near(int64_t update, double valid_nll, std::string& reason) const {
  const bool early = seen_ < config_.band_window && update < config_.max_update;
  if (early || !is_far_off(valid_nll) || !is_far_off(mean_)) return true;  // far off here alone: it overfits
  reason = fmt::format("the validation loss is {:.3f}, far above the unigram entropy of {:.3f}", valid_nll,
                       unigram_entropy_);
  return false;
}

bool Guard::learning(int64_t update, double valid_nll, std::string& reason) {
  best_nll_ = std::min(best_nll_, valid_nll);
  if (config_.stuck_updates == 0 || update < config_.stuck_updates || best_nll_ < kMustBeat * unigram_entropy_) {
    return true;
  }
  reason =
      fmt::format("after {} updates the best validation loss is {:.3f}, not 10 % below the unigram entropy of {:.3f}",
                  update, best_nll_, unigram_entropy_);
  return false;
}

nlohmann::json Guard::state() const {
  // JSON has no infinity: no validation yet is null.
  const auto if_any = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); };
  return {{"lost_in_a_row", lost_in_a_row_}, {"seen", seen_},           {"mean", mean_},
          {"variance", variance_},           {"first", if_any(first_)}, {"best_nll", if_any(best_nll_)}};
}

void Guard::load(const nlohmann::json& state) {
  lost_in_a_row_ = state.at("lost_in_a_row");
  seen_ = state.at("seen");
  mean_ = state.at("mean");
  variance_ = state.at("variance");
  const auto if_any = [&](const char* key) {  // older checkpoints do not have every one
    const auto found = state.find(key);
    return found == state.end() || found->is_null() ? HUGE_VAL : found->get<double>();
  };
  first_ = if_any("first");
  best_nll_ = if_any("best_nll");
}

}  // namespace plumb
