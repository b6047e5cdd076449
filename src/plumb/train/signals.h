#pragma once

namespace plumb {

/// SIGINT and SIGTERM ask the run to finish its step, save and stop; a second one stops it at once.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The signal that came, or 0.
  int caught() const;
};

}  // namespace plumb
