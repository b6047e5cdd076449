#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace plumb {

/// One course of the learning rate: `schedule.name`. Every one of them begins with the same warm-up, a straight line
/// from warmup_init_lr at update 0 to lr at update W, which may be 0; `formula` says what follows. Updates k count
/// from 0, as in fairseq, so that a run with a warm-up makes its first update at warmup_init_lr.
struct ScheduleRow {
  std::string_view name;
  std::string_view summary;
  std::string_view formula;                // for k >= W
  std::span<const std::string_view> keys;  // of [schedule], besides those of the warm-up
  int64_t warmup_updates = 4000;           // W where the config says auto
  bool ends = false;                       // needs to know the last update: total_updates, or train.max_update
};

std::span<const ScheduleRow> schedules();
std::span<const std::string_view> schedule_names();

/// The row of that name, or nullptr.
const ScheduleRow* find_schedule(std::string_view name);

}  // namespace plumb
