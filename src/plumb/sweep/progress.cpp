#include "plumb/sweep/progress.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include <fmt/format.h>

#include "plumb/catalogue/run_files.h"
#include "plumb/runs/record_json.h"

namespace plumb::sweep {
namespace {

constexpr double kTerminalEvery = 0.5, kLogEvery = 60;  // seconds
constexpr double kKnownAfter = 3;                       // seconds of work before a time is worth telling

double made_in_all(const std::vector<RunShare>& shares) {
  double sum = 0;
  for (const RunShare& one : shares) sum += one.made;
  return sum;
}

}  // namespace

SweepProgress::SweepProgress(bool quiet, const std::string& metric, size_t slots, ProgressOutput output)
    : quiet_(quiet), metric_(metric), slots_(static_cast<double>(slots)), output_(std::move(output)) {}

SweepProgress::~SweepProgress() {
  if (drawn_) output_.write(kEraseLine);
}

// At the end there are fewer runs than slots: it takes as long as the longest of them.
std::string SweepProgress::forecast(const std::vector<RunShare>& shares) const {
  const double elapsed = seen_ - start_, made = made_in_all(shares) - first_made_;
  if (elapsed <= kKnownAfter || made <= 0) return "";
  double left = 0, longest = 0;
  for (const RunShare& one : shares) {
    if (one.ended) continue;
    left += 1 - one.made;
    longest = std::max(longest, 1 - one.made);
  }
  const double an_hour = 3600 * made / elapsed, seconds_of_run = busy_ / made;
  return fmt::format(", {} runs/h, {} to go", rate_text(an_hour),
                     duration_text(std::max(left / slots_, longest) * seconds_of_run));
}

std::string SweepProgress::line(size_t running, const std::vector<RunShare>& shares) const {
  const auto done = static_cast<size_t>(std::ranges::count_if(shares, &RunShare::ended));
  const size_t left = shares.size() - std::min(shares.size(), done + running);
  return fmt::format("{} of {} runs done, {} running, {} left", done, shares.size(), running, left) + forecast(shares);
}

void SweepProgress::show(size_t running, const std::vector<RunShare>& shares) {
  const double now = output_.seconds();
  if (first_made_ < 0) {
    first_made_ = made_in_all(shares);
    start_ = seen_ = now;
    if (!output_.terminal) shown_ = now;  // the first line after a minute
  }
  busy_ += static_cast<double>(running) * (now - seen_);
  seen_ = now;
  if (quiet_ || now < shown_ + (output_.terminal ? kTerminalEvery : kLogEvery)) return;
  shown_ = now;
  const std::string text = line(running, shares);
  output_.write(output_.terminal ? "\r" + text + "\x1b[K" : text + "\n");
  drawn_ = output_.terminal;
}

void SweepProgress::say(const std::string& text) {
  if (quiet_) return;
  output_.write((drawn_ ? kEraseLine : "") + text + "\n");
  drawn_ = false;
  if (output_.terminal) shown_ = -1e9;
}

void SweepProgress::run_ended(const RunResult& result, const std::string& arm, double seconds) {
  std::string text = fmt::format("{}, seed {}: {}", arm, result.run.seed, result.outcome());
  if (result.value) text += fmt::format(", {} {:.4g}", metric_, *result.value);
  if (!result.value && result.summary.failure) text += fmt::format(" at update {}", result.summary.failure->update);
  if (!result.error.empty()) text += ": " + result.error;
  say(text + fmt::format(" ({})", duration_text(seconds)));
}

int64_t last_update(const std::filesystem::path& run) {
  constexpr std::streamoff kEnd = 4096;
  std::ifstream file(run / kLogFile, std::ios::binary | std::ios::ate);
  if (!file) return 0;
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kEnd));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const std::string kKey = fmt::format("\"{}\":", key_of(&TrainRecord::update));
  const size_t found = text.rfind(kKey);
  int64_t update = 0;
  if (found != std::string::npos) {
    std::from_chars(text.data() + found + kKey.size(), text.data() + text.size(), update);
  }
  return update;
}

}  // namespace plumb::sweep
