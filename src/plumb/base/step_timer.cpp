#include "plumb/base/step_timer.h"

#include <numeric>

#include "plumb/base/clock.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

thread_local bool timing = false;
thread_local StepTimes claimed{};
thread_local PartScope* innermost = nullptr;

}  // namespace

StepTimer::StepTimer() : start_(Clock::now()) {
  timing = true;
  claimed = {};
}

StepTimer::~StepTimer() {
  timing = false;
}

StepTimes StepTimer::times() const {
  StepTimes times = claimed;
  times[static_cast<size_t>(StepPart::Other)] =
      seconds_since(start_) - std::accumulate(claimed.begin(), claimed.end(), 0.0);
  return times;
}

PartScope::PartScope(StepPart part) : part_(part), running_(timing) {
  if (!running_) return;
  outer_ = innermost;
  innermost = this;
  start_ = Clock::now();
}

PartScope::~PartScope() {
  if (!running_) return;
  const double seconds = seconds_since(start_);
  claimed[static_cast<size_t>(part_)] += seconds - within_;
  if (outer_) outer_->within_ += seconds;
  innermost = outer_;
}

}  // namespace plumb
