#pragma once

namespace plumb {

/// Catches SIGINT, SIGTERM and SIGHUP while it lives, so that a sweep can pass them on to its runs and wait for them.
/// One at a time.
class CaughtSignals {
 public:
  CaughtSignals();
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;
  ~CaughtSignals();

  int first() const;  // 0: none yet
  int count() const;

 private:
  void (*before_[3])(int);
};

}  // namespace plumb
