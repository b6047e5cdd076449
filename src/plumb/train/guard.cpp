#include "plumb/train/guard.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plumb {
namespace {

constexpr double kMustBeat = 0.9;  // of the unigram entropy
constexpr double kFarOff = 3;      // times the unigram entropy, and twice what it began with: no slow start
constexpr double kHuge = 10;       // likewise, for losses that no run has come back from
constexpr int64_t kHugeUpdates = 10;
constexpr double kMustKeep = 0.2;  // of what was gained below the unigram entropy
constexpr double kFalling = 0.05;  // of the way down to the lowest mean, within a quarter of a window
constexpr int64_t kQuartersBack = 3;

}  // namespace

Guard::Guard(const TrainConfig& config, double unigram_entropy)
    : config_(config), unigram_entropy_(unigram_entropy), trend_(config, unigram_entropy) {}

bool Guard::healthy(int64_t update, double nll, bool applied, std::string& reason) {
  if (!applied) {
    if (++lost_in_a_row_ < config_.nonfinite_steps) return true;
    reason = fmt::format("{} updates in a row were not finite, the last is {}", lost_in_a_row_, update);
    return false;
  }
  lost_in_a_row_ = 0;
  trend_.add(nll);
  if (config_.band_sigmas == 0) return true;
  count(nll);
  if (huge_in_a_row_ >= kHugeUpdates) {
    reason = fmt::format("the loss is {:.3f} and was above {:g} times the unigram entropy of {:.3f} for {} updates",
                         nll, kHuge, unigram_entropy_, huge_in_a_row_);
    return false;
  }
  const Wrong what = wrong();
  if (what == Wrong::Nothing || stayed_for_ < quarter() * (what == Wrong::Back ? kQuartersBack : 1)) return true;
  reason = reason_of(what);
  return false;
}

Guard::Wrong Guard::wrong() const {
  const double level = trend_.level();
  if (is_far_off(level)) return Wrong::FarOff;
  if (trend_.is_above_band(level)) return Wrong::AboveBand;
  return is_back(level, trend_.lowest()) ? Wrong::Back : Wrong::Nothing;
}

bool Guard::is_far_off(double nll) const {
  return is_times_the_entropy(nll, kFarOff);
}

bool Guard::is_times_the_entropy(double nll, double times) const {
  return unigram_entropy_ > 0 && nll > times * unigram_entropy_ && nll > 2 * trend_.first();
}

bool Guard::is_back(double nll, double best) const {
  return best < kMustBeat * unigram_entropy_ && nll > unigram_entropy_ - kMustKeep * (unigram_entropy_ - best);
}

void Guard::count(double nll) {
  huge_in_a_row_ = is_times_the_entropy(nll, kHuge) ? huge_in_a_row_ + 1 : 0;
  if (wrong() == Wrong::Nothing) {
    wrong_for_ = stayed_for_ = 0;
    level_before_ = HUGE_VAL;
    return;
  }
  ++wrong_for_;
  if (wrong_for_ > quarter()) ++stayed_for_;
  if (wrong_for_ % quarter() != 0) return;
  if (is_falling()) stayed_for_ = 0;
  level_before_ = trend_.level();
}

bool Guard::is_falling() const {
  if (!std::isfinite(level_before_)) return false;
  const double lowest = std::min(trend_.lowest(), unigram_entropy_);
  return trend_.level() < level_before_ - kFalling * (level_before_ - lowest);
}

int64_t Guard::quarter() const {
  return std::max<int64_t>(1, config_.band_window / 4);
}

std::string Guard::reason_of(Wrong wrong) const {
  const double level = trend_.level();
  switch (wrong) {
    case Wrong::FarOff:
      return fmt::format(
          "the running mean of the loss is {:.3f}, far above the {:.3f} that it began with and the unigram entropy of "
          "{:.3f}",
          level, trend_.first(), unigram_entropy_);
    case Wrong::AboveBand:
      return fmt::format(
          "the loss jumped to {:.3f} from a running mean of {:.3f} +- {:.3f} and stayed there for {} updates", level,
          trend_.mean(), trend_.deviation(), wrong_for_);
    default:
      return fmt::format(
          "the loss is back at {:.3f} for {} updates, after a lowest mean of {:.3f}; the unigram entropy is {:.3f}",
          level, wrong_for_, trend_.lowest(), unigram_entropy_);
  }
}

bool Guard::near(int64_t update, double valid_nll, std::string& reason) const {
  const Wrong what = config_.band_sigmas == 0 ? Wrong::Nothing : wrong();
  const bool last = config_.max_update > 0 && update >= config_.max_update;
  const int64_t enough = last ? std::max<int64_t>(1, quarter() / 2) : quarter();
  if (what == Wrong::Nothing || stayed_for_ < enough || is_falling()) return true;
  // Far off or back here alone: it overfits.
  if (what == Wrong::FarOff ? !is_far_off(valid_nll) : !is_back(valid_nll, best_nll_)) return true;
  reason = what == Wrong::FarOff ? fmt::format("the validation loss is {:.3f}, far above the unigram entropy of {:.3f}",
                                               valid_nll, unigram_entropy_)
                                 : fmt::format("the validation loss is {:.3f}, after {:.3f} at best, and {}", valid_nll,
                                               best_nll_, reason_of(what));
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
  nlohmann::json state = {{"lost_in_a_row", lost_in_a_row_},
                          {"huge_in_a_row", huge_in_a_row_},
                          {"wrong_for", wrong_for_},
                          {"stayed_for", stayed_for_},
                          {"level_before", known_or_null(level_before_)},
                          {"best_nll", known_or_null(best_nll_)}};
  trend_.add_to(state);
  return state;
}

// Older checkpoints do not have every number.
void Guard::load(const nlohmann::json& state) {
  lost_in_a_row_ = state.at("lost_in_a_row");
  huge_in_a_row_ = state.value("huge_in_a_row", int64_t{0});
  wrong_for_ = state.value("wrong_for", int64_t{0});
  stayed_for_ = state.value("stayed_for", int64_t{0});
  level_before_ = known_or_huge(state, "level_before");
  best_nll_ = known_or_huge(state, "best_nll");
  trend_.load(state);
}

}  // namespace plumb
