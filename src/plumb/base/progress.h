#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace plumb {

/// Where a progress line goes and what time it is; a test brings its own.
struct ProgressOutput {
  bool terminal = false;
  std::function<void(std::string_view)> write;
  std::function<double()> seconds;  // from any origin, never backwards
};

/// stderr and the steady clock.
ProgressOutput progress_on_stderr();

/// Tells a waiting person how far a loop is, how fast, and how long it will still take:
///
///     tokenising  1200/4000 (30 %)  415.2/s  6 s left
///
/// A terminal sees one line that is redrawn and wiped at the end; a log file sees a plain line every ten seconds and
/// one at the end. Work that ends within a second says nothing. For one thread.
class Progress {
 public:
  /// A total of 0 means unknown: no percentage, no time left.
  Progress(std::string label, uint64_t total, ProgressOutput output = progress_on_stderr());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void advance(uint64_t count = 1);

  /// Wipes or completes the line; the destructor does it too. Call it before printing anything else.
  void finish();

 private:
  std::string line(double elapsed) const;

  std::string label_;
  uint64_t total_, done_ = 0;
  ProgressOutput output_;
  double start_;
  std::optional<double> printed_;  // when last, in seconds since the start
  bool finished_ = false;
};

/// "49 s", "3 min 05 s", "2 h 03 min".
std::string duration_text(double seconds);

/// How many in a second or an hour: "41.5", "415".
std::string rate_text(double rate);

/// Goes back to the first column of a terminal's line and wipes it.
inline constexpr char kEraseLine[] = "\r\x1b[K";

}  // namespace plumb
