#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>
#include <utility>
#include <vector>

namespace plumb {

/// Thrown where a signal ends work that others are to end with it. What could be saved is saved.
struct Interrupted {
  int signal;
};

/// A write to a pipe without a reader, or beyond the limit on file sizes, fails from here on with EPIPE or EFBIG
/// instead of ending the process with SIGPIPE or SIGXFSZ: whoever writes knows what that is worth. Both programs call
/// it first.
void ignore_write_signals();

/// Catches signals while it lives, so that work can be saved first: a run finishes its step, a sweep passes them on to
/// its runs and waits for them. What was ignored before (nohup) stays ignored. One at a time.
class CaughtSignals {
 public:
  /// What the second of them does.
  enum class Second {
    IsCounted,
    EndsTheProcess,  // at once, with exit code 128 + its number
  };
  /// With EndsTheProcess the first one is watched as well: if nobody has asked for it when `patience` and ten times the
  /// longest pause between signs of progress are over without another sign, the work hangs, in a library for example,
  /// and the process ends with exit code 128 + its number.
  explicit CaughtSignals(std::initializer_list<int> numbers = {SIGINT, SIGTERM, SIGHUP},
                         Second second = Second::IsCounted, std::chrono::seconds patience = std::chrono::seconds(30));
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;
  ~CaughtSignals();

  int first() const;  // 0: none yet. Asking is a sign of progress
  int count() const;

 private:
  void take(int number, void (*handler)(int));

  std::vector<std::pair<int, struct sigaction>> before_;
};

/// Says that the work has not stopped, after each piece of it.
void note_progress();

/// Work that may take any time without a sign of progress: a checkpoint on a slow disk, the outputs of a validation.
class UnwatchedWork {
 public:
  UnwatchedWork();
  UnwatchedWork(const UnwatchedWork&) = delete;
  UnwatchedWork& operator=(const UnwatchedWork&) = delete;
  ~UnwatchedWork();
};

}  // namespace plumb
