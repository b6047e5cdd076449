#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace plumb {

/// What a training step is made of, for those who want to know where its time goes.
enum class StepPart { Gemm, Attention, Residual, Activation, Loss, Optimiser, Other };
inline constexpr std::array<std::string_view, 7> kStepParts = {
    "gemm", "attention", "residual and norm", "activation", "loss", "optimiser", "other"};
using StepTimes = std::array<double, kStepParts.size()>;  // seconds

/// Times the parts of what happens until its end, on this thread. One at a time.
class StepTimer {
 public:
  StepTimer();
  ~StepTimer();
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

  /// Until now; `Other` is what no part claims.
  StepTimes times() const;

 private:
  std::chrono::steady_clock::time_point start_;
};

/// The time until its end belongs to this part, except what a scope within it claims. Costs nothing without a timer.
class PartScope {
 public:
  explicit PartScope(StepPart part);
  ~PartScope();
  PartScope(const PartScope&) = delete;
  PartScope& operator=(const PartScope&) = delete;

 private:
  PartScope* outer_ = nullptr;
  StepPart part_;
  bool running_ = false;
  double within_ = 0;  // seconds that inner scopes claimed
  std::chrono::steady_clock::time_point start_;
};

}  // namespace plumb
