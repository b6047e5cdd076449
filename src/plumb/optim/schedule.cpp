#include "plumb/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/schedules.h"

namespace plumb {
namespace {

/// What a formula sees: k and W as numbers to compute with.
struct Moment {
  const ScheduleConfig& schedule;
  double lr, k, W, epoch;
};

// ---- one function per row, for k >= W; the formulas are those of the table ----

double constant(const Moment& m) {
  return m.lr;
}

// Without a warm-up fairseq divides by zero at k = 0 and then makes no progress. The limit that keeps the shape, W = 1,
// is what its users write for "no warm-up".
double inverse_sqrt(const Moment& m) {
  return m.lr * std::sqrt(std::max(m.W, 1.0) / std::max(m.k, 1.0));
}

// max(tail, W): a longer warm-up must not end in a jump down. From W = tail on this is inverse_sqrt.
double inverse_sqrt_tail(const Moment& m) {
  const double tail = std::max(static_cast<double>(m.schedule.tail_updates), m.W);
  return m.lr * std::sqrt(tail / std::max(m.k, tail));
}

double inverse_sqrt_nowarmup(const Moment& m) {
  const auto period = static_cast<double>(m.schedule.period);
  return m.lr * std::sqrt(period / (period + m.k - m.W));
}

/// How much of the way from the warm-up to the end is left: from 1 to 0.
double left(const Moment& m) {
  const auto total = static_cast<double>(m.schedule.total_updates);
  return m.k >= total ? 0 : 1 - (m.k - m.W) / (total - m.W);
}

double between(const Moment& m, double share) {
  return m.schedule.min_lr + (m.lr - m.schedule.min_lr) * share;
}

double linear(const Moment& m) {
  return between(m, left(m));
}

double polynomial(const Moment& m) {
  return between(m, std::pow(left(m), m.schedule.power));
}

double cosine(const Moment& m) {
  return between(m, (1 + std::cos(std::numbers::pi * (1 - left(m)))) / 2);
}

double step(const Moment& m) {
  const auto passed = [](const auto& list, double now) {
    return std::ranges::count_if(list, [&](double step) { return now >= step; });
  };
  const auto steps = passed(m.schedule.step_updates, m.k) + passed(m.schedule.step_epochs, m.epoch);
  return m.lr * std::pow(m.schedule.decay, static_cast<double>(steps));
}

struct ScheduleBinding {
  std::string_view name;
  double (*after_warmup)(const Moment&);
};
constexpr ScheduleBinding kScheduleBindings[] = {{"constant", constant},
                                                 {"inverse_sqrt", inverse_sqrt},
                                                 {"inverse_sqrt_tail", inverse_sqrt_tail},
                                                 {"inverse_sqrt_nowarmup", inverse_sqrt_nowarmup},
                                                 {"linear", linear},
                                                 {"polynomial", polynomial},
                                                 {"cosine", cosine},
                                                 {"step", step}};

const ScheduleRow& row_of(const ScheduleConfig& schedule) {
  const ScheduleRow* row = find_schedule(schedule.name);
  if (!row) throw std::logic_error("no schedule is called " + schedule.name);
  return *row;
}

}  // namespace

double learning_rate(const ScheduleConfig& schedule, double lr, int64_t update, double epoch) {
  const ScheduleRow& row = row_of(schedule);
  if (row.ends && schedule.total_updates <= 0) throw std::logic_error(schedule.name + " does not know where it ends");
  const Moment m{.schedule = schedule,
                 .lr = lr,
                 .k = static_cast<double>(update),
                 .W = static_cast<double>(schedule.warmup_updates.value_or(row.warmup_updates)),
                 .epoch = epoch};
  if (m.k < m.W) return schedule.warmup_init_lr + m.k * (lr - schedule.warmup_init_lr) / m.W;
  const auto binding = std::ranges::find(kScheduleBindings, row.name, &ScheduleBinding::name);
  if (binding == std::end(kScheduleBindings)) throw std::logic_error(schedule.name + " has a row but no function");
  return std::max(binding->after_warmup(m), schedule.min_lr);
}

ScheduleConfig complete_schedule(ScheduleConfig schedule, int64_t max_update) {
  const ScheduleRow& row = row_of(schedule);
  if (!schedule.warmup_updates) schedule.warmup_updates = row.warmup_updates;
  if (!row.ends) return schedule;
  if (schedule.total_updates == 0) schedule.total_updates = max_update;
  if (schedule.total_updates <= 0) {
    throw UserError("schedule.total_updates", fmt::format("{} has to know the last update", schedule.name),
                    "Set it, or train.max_update");
  }
  return schedule;
}

}  // namespace plumb
