#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "plumb/checkpoint/checkpoint.h"

namespace plumb {

/// Removes checkpoints that newer ones supersede. Nothing goes before enough newer ones are known to be whole: damaged
/// ones do not count. A checkpoint loses its number first and its files after that, so that what carries its number is
/// whole at any moment; what a killed process has left of that is removed the next time.
class CheckpointPruner {
 public:
  explicit CheckpointPruner(const Checkpoints& checkpoints) : checkpoints_(checkpoints) {}

  /// After the checkpoint of update `saved` was written. Of that and the ones before it the newest `newest` whole ones
  /// stay (0: all), those in `spared`, and everything with a higher number: it comes from before the run was wound
  /// back, and is replaced when the run gets there.
  void prune(int64_t saved, int64_t newest, const std::vector<int64_t>& spared);

 private:
  /// By its checksums, which are looked at once.
  bool is_whole(int64_t update);

  const Checkpoints& checkpoints_;
  std::map<int64_t, bool> whole_;
};

}  // namespace plumb
