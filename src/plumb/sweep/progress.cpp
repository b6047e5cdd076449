#include "plumb/sweep/progress.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <numeric>

#include <fmt/format.h>

namespace plumb {
namespace {

constexpr double kTerminalEvery = 0.5, kLogEvery = 60;  // seconds
constexpr double kKnownAfter = 3;                       // seconds of work before a time is worth telling

double sum(const std::vector<double>& share) {
  return std::accumulate(share.begin(), share.end(), 0.0);
}

}  // namespace

SweepProgress::SweepProgress(bool quiet, const std::string& metric, ProgressOutput output)
    : quiet_(quiet), metric_(metric), output_(std::move(output)), start_(output_.seconds()) {}

SweepProgress::~SweepProgress() {
  if (drawn_) output_.write("\r\x1b[K");
}

std::string SweepProgress::line(size_t running, const std::vector<double>& share) const {
  const auto done = static_cast<size_t>(std::ranges::count_if(share, [](double one) { return one >= 1; }));
  const size_t left = share.size() - std::min(share.size(), done + running);
  std::string text = fmt::format("{} of {} runs done, {} running, {} left", done, share.size(), running, left);
  const double elapsed = output_.seconds() - start_, made = sum(share) - first_work_;
  if (elapsed > kKnownAfter && made > 0) {
    text += fmt::format(", {} to go", duration_text((static_cast<double>(share.size()) - sum(share)) * elapsed / made));
  }
  return text;
}

void SweepProgress::show(size_t running, const std::vector<double>& share) {
  if (first_work_ < 0) {
    first_work_ = sum(share);
    start_ = output_.seconds();
    if (!output_.terminal) shown_ = start_;  // the first line after a minute
  }
  const double now = output_.seconds();
  if (quiet_ || now < shown_ + (output_.terminal ? kTerminalEvery : kLogEvery)) return;
  shown_ = now;
  output_.write(output_.terminal ? "\r" + line(running, share) + "\x1b[K" : line(running, share) + "\n");
  drawn_ = output_.terminal;
}

void SweepProgress::say(const std::string& text) {
  if (quiet_) return;
  output_.write((drawn_ ? "\r\x1b[K" : "") + text + "\n");
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
  std::ifstream file(run / "log.jsonl", std::ios::binary | std::ios::ate);
  if (!file) return 0;
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kEnd));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view kKey = "\"update\":";
  const size_t found = text.rfind(kKey);
  int64_t update = 0;
  if (found != std::string::npos) {
    std::from_chars(text.data() + found + kKey.size(), text.data() + text.size(), update);
  }
  return update;
}

}  // namespace plumb
