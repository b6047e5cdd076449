#pragma once

#include <string>
#include <vector>

#include "plumb/base/progress.h"
#include "plumb/sweep/results.h"

namespace plumb {

/// Tells a waiting person how a sweep goes: a line for each run that ends, and below, on a terminal, one that is
/// redrawn:
///
///     3 of 12 runs done, 2 running, 7 left, 4 min 10 s to go
///
/// A log file sees that line once a minute.
class SweepProgress {
 public:
  SweepProgress(bool quiet, const std::string& metric, ProgressOutput output = progress_on_stderr());
  ~SweepProgress();

  /// `share`: how much of each run is done, 0 to 1, in the order of the runs.
  void show(size_t running, const std::vector<double>& share);
  void run_ended(const RunResult& result, const std::string& arm, double seconds);
  void say(const std::string& text);

 private:
  std::string line(size_t running, const std::vector<double>& share) const;

  bool quiet_;
  std::string metric_;
  ProgressOutput output_;
  double start_, shown_ = -1e9, first_work_ = -1;
  bool drawn_ = false;
};

/// The update that a run's log has come to, read from its end: cheap enough for twice a second.
int64_t last_update(const std::filesystem::path& run);

}  // namespace plumb
