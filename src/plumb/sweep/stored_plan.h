#pragma once

#include <filesystem>
#include <vector>

#include "plumb/sweep/plan.h"

namespace plumb {

/// What a sweep's folder says about its runs: sweep.toml, which repeats the sweep, and the config of every arm as
/// <arm>/arm.toml.
class StoredPlan {
 public:
  /// If a sweep is in `out` already, it must be this one or a part of it: throws UserError, naming what differs, if an
  /// arm or a seed is gone or an arm has another config. Writes nothing. The directory, if it is there, must be locked
  /// by the caller.
  StoredPlan(const Sweep& sweep, std::filesystem::path out);

  /// From here on the sweep is what it is: only once nothing can be found wrong with it any more.
  void write() const;

 private:
  const Sweep& sweep_;
  std::filesystem::path out_;
  std::vector<Arm> arms_;
  std::vector<Config> configs_;  // of each arm
};

}  // namespace plumb
