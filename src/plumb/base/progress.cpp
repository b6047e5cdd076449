#include "plumb/base/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/to_stderr.h"

namespace plumb {
namespace {

constexpr double kSilent = 1;  // seconds of work that need no progress at all
constexpr double kTerminalEvery = 0.1;
constexpr double kLogEvery = 10;

bool is_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

ProgressOutput progress_on_stderr() {
  return {.terminal = is_terminal(), .write = write_to_stderr, .seconds = [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
          }};
}

std::string duration_text(double seconds) {
  constexpr double longest = 1e9;  // a stalled start would otherwise print millennia
  if (!(seconds < longest)) return "long";
  const auto s = static_cast<int64_t>(std::llround(std::max(seconds, 0.0)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

std::string rate_text(double rate) {
  return fmt::format("{:.{}f}", rate, rate < 100 ? 1 : 0);
}

Progress::Progress(std::string label, uint64_t total, ProgressOutput output)
    : label_(std::move(label)), total_(total), output_(std::move(output)), start_(output_.seconds()) {}

Progress::~Progress() {
  finish();
}

void Progress::advance(uint64_t count) {
  done_ += count;
  const double elapsed = output_.seconds() - start_;
  const double every = output_.terminal ? kTerminalEvery : kLogEvery;
  const double due = printed_ ? *printed_ + every : std::max(every, kSilent);
  if (finished_ || elapsed < due) return;
  printed_ = elapsed;
  // \x1b[K wipes what a longer line left behind
  output_.write(output_.terminal ? "\r" + line(elapsed) + "\x1b[K" : line(elapsed) + "\n");
}

void Progress::finish() {
  if (std::exchange(finished_, true)) return;
  const double elapsed = output_.seconds() - start_;
  if (output_.terminal) {
    if (printed_) output_.write(kEraseLine);
  } else if (elapsed >= kSilent) {
    output_.write(line(elapsed) + "\n");
  }
}

std::string Progress::line(double elapsed) const {
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  const std::string speed = rate_text(rate) + "/s";
  if (finished_) return fmt::format("{}  {}  {}  {}", label_, done_, speed, duration_text(elapsed));
  if (total_ == 0) return fmt::format("{}  {}  {}", label_, done_, speed);
  const double left = rate > 0 ? static_cast<double>(total_ - std::min(done_, total_)) / rate : INFINITY;
  const double percent = 100 * static_cast<double>(done_) / static_cast<double>(total_);
  return fmt::format("{}  {}/{} ({:.0f} %)  {}  {} left", label_, done_, total_, std::floor(percent), speed,
                     duration_text(left));
}

}  // namespace plumb
