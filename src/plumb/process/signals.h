#pragma once

#include <csignal>
#include <initializer_list>
#include <utility>
#include <vector>

namespace plumb {

/// Thrown where a signal ends work that others are to end with it. What could be saved is saved.
struct Interrupted {
  int signal;
};

/// Catches signals while it lives, so that work can be saved first: a run finishes its step, a sweep passes them on to
/// its runs and waits for them. What was ignored before (nohup) stays ignored. One at a time.
class CaughtSignals {
 public:
  /// What the second of them does.
  enum class Second {
    IsCounted,
    EndsTheProcess,  // at once, with exit code 128 + its number
  };
  explicit CaughtSignals(std::initializer_list<int> numbers = {SIGINT, SIGTERM, SIGHUP},
                         Second second = Second::IsCounted);
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;
  ~CaughtSignals();

  int first() const;  // 0: none yet
  int count() const;

 private:
  using Handler = void (*)(int);
  std::vector<std::pair<int, Handler>> before_;
};

}  // namespace plumb
