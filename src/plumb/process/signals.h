#pragma once

#include <csignal>

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

/// Holds these signals back while it lives, around a fork: a child has its parent's handlers until exec, and would take
/// a signal that is meant to end it for one of the parent's.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  /// In the child: from here on what is not ignored ends it, and so does what came since the fork. Safe before exec.
  void release_in_child() const;

 private:
  sigset_t before_;
};

}  // namespace plumb
