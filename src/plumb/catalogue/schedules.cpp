#include "plumb/catalogue/schedules.h"

#include <algorithm>
#include <vector>

namespace plumb {
namespace {

constexpr std::string_view kFloor[] = {"min_lr"};
constexpr std::string_view kTail[] = {"tail_updates", "min_lr"};
constexpr std::string_view kPeriod[] = {"period", "min_lr"};
constexpr std::string_view kEnd[] = {"total_updates", "min_lr"};
constexpr std::string_view kPower[] = {"total_updates", "power", "min_lr"};
constexpr std::string_view kSteps[] = {"step_updates", "step_epochs", "decay", "min_lr"};

// x is the share of the way from the end of the warm-up to the last update: (k - W) / (total - W), at most 1.
//
// inverse_sqrt is one over sqrt(k) however short its warm-up: W = 1, "no warm-up" in fairseq's recipes, leaves lr / 63
// after 4000 updates. inverse_sqrt_tail separates the two: with tail_updates = 4000 it decays as inverse_sqrt does
// after a warm-up of 4000, whatever the warm-up.
//
// clang-format off
constexpr ScheduleRow kSchedules[] = {
    {.name = "constant", .summary = "stays where the warm-up ends", .formula = "lr", .keys = {}},
    {.name = "inverse_sqrt", .summary = "fairseq's: the length of the warm-up also sets the decay; W = 0 decays as W = 1",
     .formula = "lr * sqrt(max(W, 1) / max(k, 1))", .keys = kFloor},
    {.name = "inverse_sqrt_tail", .summary = "inverse_sqrt whose decay does not depend on the warm-up: T = max(tail_updates, W)",
     .formula = "lr * sqrt(T / max(k, T))", .keys = kTail},
    {.name = "inverse_sqrt_nowarmup", .summary = "T-Fixup's: decays from the first update; P = period",
     .formula = "lr * sqrt(P / (P + k - W))", .keys = kPeriod, .warmup_updates = 0},
    {.name = "linear", .summary = "a straight line down to min_lr at the last update; x = (k - W) / (total_updates - W)",
     .formula = "min_lr + (lr - min_lr) * (1 - x)", .keys = kEnd, .ends = true},
    {.name = "polynomial", .summary = "fairseq's polynomial_decay: linear with an exponent",
     .formula = "min_lr + (lr - min_lr) * (1 - x)^power", .keys = kPower, .ends = true},
    {.name = "cosine", .summary = "half a cosine down to min_lr at the last update",
     .formula = "min_lr + (lr - min_lr) * (1 + cos(pi * x)) / 2", .keys = kEnd, .ends = true},
    {.name = "step", .summary = "falls by a factor at each of the listed updates and epochs; n of them have passed",
     .formula = "lr * decay^n", .keys = kSteps},
};
// clang-format on

}  // namespace

std::span<const ScheduleRow> schedules() {
  return kSchedules;
}

std::span<const std::string_view> schedule_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const ScheduleRow& row : kSchedules) all.push_back(row.name);
    return all;
  }();
  return names;
}

const ScheduleRow* find_schedule(std::string_view name) {
  const auto row = std::ranges::find(kSchedules, name, &ScheduleRow::name);
  return row == std::end(kSchedules) ? nullptr : row;
}

}  // namespace plumb
