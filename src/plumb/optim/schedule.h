#pragma once

#include <cstdint>

#include "plumb/config/config.h"

namespace plumb {

/// The learning rate of update `update`, which counts from 0, after `epoch` passes over the data (0.5 in the middle of
/// the first). `lr` is optim.lr. A pure function: nothing has to be stored to resume.
///
/// Rows that end need `total_updates`; see complete_schedule().
double learning_rate(const ScheduleConfig& schedule, double lr, int64_t update, double epoch);

/// The schedule with its open choices made: the warm-up of its row where the config says auto, and `max_update` as its
/// end where the config names none. Throws UserError if the schedule has to end and neither says where.
ScheduleConfig complete_schedule(ScheduleConfig schedule, int64_t max_update);

}  // namespace plumb
