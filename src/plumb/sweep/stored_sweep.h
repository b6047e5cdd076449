#pragma once

#include <filesystem>
#include <vector>

#include "plumb/sweep/sweep.h"

namespace plumb::sweep {

/// A config without what does not change a run's numbers, or is the run's own: the seed, and threads on the fused path.
Config comparable(Config config);

/// What a sweep's folder says about its runs: sweep.toml, which repeats the sweep, and the config of every arm as
/// <arm>/arm.toml.
class StoredSweep {
 public:
  /// If a sweep is in `out` already, it must be this one or a part of it: throws UserError, naming what differs, if an
  /// arm or a seed is gone or an arm has another config. Writes nothing. The directory, if it is there, must be locked
  /// by the caller.
  StoredSweep(const Sweep& sweep, std::filesystem::path out);

  /// From here on the sweep is what it is: only once nothing can be found wrong with it any more.
  void write() const;

 private:
  const Sweep& sweep_;
  std::filesystem::path out_;
  std::vector<Arm> arms_;
  std::vector<Config> configs_;  // of each arm
};

}  // namespace plumb::sweep
