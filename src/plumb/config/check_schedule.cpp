#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/schedules.h"
#include "plumb/config/check.h"
#include "plumb/config/field_text.h"
#include "plumb/config/suggestion.h"

namespace plumb {
namespace {

using ScheduleCheck = void (*)(const Config& config, const Sources& sources);

void name_is_a_row(const Config& config, const Sources& sources) {
  const std::string& name = config.schedule.name;
  if (find_schedule(name)) return;
  throw UserError(sources.where("schedule.name"), fmt::format("there is no schedule {}", quoted(name)),
                  did_you_mean(name, schedule_names()) + "`plumb list schedules` shows every name");
}

void counts_are_in_range(const Config& config, const Sources& sources) {
  struct Count {
    std::string_view key;
    int64_t value, least;
  };
  const ScheduleConfig& s = config.schedule;
  const Count counts[] = {{"schedule.warmup_updates", s.warmup_updates.value_or(0), 0},
                          {"schedule.total_updates", s.total_updates, 0},
                          {"schedule.period", s.period, 1},
                          {"schedule.tail_updates", s.tail_updates, 1}};
  for (const Count& c : counts) {
    if (c.value >= c.least) continue;
    throw UserError(sources.where(c.key), fmt::format("{} is too small", c.value),
                    fmt::format("It must be at least {}", c.least));
  }
}

void rates_are_in_range(const Config& config, const Sources& sources) {
  const ScheduleConfig& s = config.schedule;
  const std::pair<std::string_view, double> rates[] = {{"schedule.warmup_init_lr", s.warmup_init_lr},
                                                       {"schedule.min_lr", s.min_lr}};
  for (const auto& [key, value] : rates) {
    if (value >= 0) continue;
    throw UserError(sources.where(key), fmt::format("{} is negative", value), "Write 0 or more");
  }
  if (s.min_lr > config.optim.lr) {
    throw UserError(sources.where(sources.latest({"schedule.min_lr", "optim.lr"})),
                    fmt::format("min_lr {} is above lr {}", s.min_lr, config.optim.lr),
                    "The rate falls from lr to min_lr: exchange them, or set min_lr = 0");
  }
  if (!(s.power > 0)) {
    throw UserError(sources.where("schedule.power"), fmt::format("{} is not above 0", s.power),
                    "Write 1 for a straight line, 2 for a parabola");
  }
  if (!(s.decay > 0 && s.decay <= 1)) {
    throw UserError(sources.where("schedule.decay"), fmt::format("{} is not in (0, 1]", s.decay),
                    "Write the factor of one step down, for example 0.1");
  }
}

template <class T>
void rises_from_above_zero(std::string_view key, const std::vector<T>& list, const Sources& sources) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] > (i == 0 ? T{} : list[i - 1])) continue;
    throw UserError(sources.where(key), fmt::format("{} does not rise from above 0", toml_text(list)),
                    "Write each step once, in the order of time, for example [8, 12]");
  }
}

void steps_are_in_order(const Config& config, const Sources& sources) {
  const ScheduleConfig& s = config.schedule;
  rises_from_above_zero("schedule.step_updates", s.step_updates, sources);
  rises_from_above_zero("schedule.step_epochs", s.step_epochs, sources);
  const auto keys = find_schedule(s.name)->keys;
  if (std::ranges::find(keys, "step_updates") == keys.end()) return;
  if (!s.step_updates.empty() || !s.step_epochs.empty()) return;
  throw UserError(sources.where("schedule.name"), fmt::format("{} has no step to fall at", s.name),
                  "Set schedule.step_updates or schedule.step_epochs, for example step_epochs = [8]");
}

void the_end_follows_the_warmup(const Config& config, const Sources& sources) {
  const ScheduleConfig& s = config.schedule;
  const ScheduleRow& row = *find_schedule(s.name);
  const int64_t warmup = s.warmup_updates.value_or(row.warmup_updates);
  const int64_t last = s.total_updates != 0 ? s.total_updates : config.train.max_update;  // 0: the run has no such end
  if (!row.ends || last == 0 || last > warmup) return;
  const std::string_view key = s.total_updates != 0 ? "schedule.total_updates" : "train.max_update";
  throw UserError(sources.where(sources.latest({"schedule.warmup_updates", key})),
                  fmt::format("{} would end at update {}, within its warm-up of {}", s.name, last, warmup),
                  fmt::format("Make {} larger, or schedule.warmup_updates smaller", key));
}

// The name first: the checks below it look the row up.
constexpr ScheduleCheck kScheduleChecks[] = {name_is_a_row, counts_are_in_range, rates_are_in_range, steps_are_in_order,
                                             the_end_follows_the_warmup};

}  // namespace

void check_schedule(const Config& config, const Sources& sources) {
  for (const ScheduleCheck one : kScheduleChecks) one(config, sources);
}

}  // namespace plumb
