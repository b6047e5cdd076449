#pragma once

#include <string>
#include <vector>

#include "plumb/base/progress.h"
#include "plumb/sweep/results.h"

namespace plumb::sweep {

/// How far a run is.
struct RunShare {
  double made = 0;     // of its updates, 0 to 1
  bool ended = false;  // nothing is left of it, however little it has made: it diverged, or stopped early
};

/// Tells a waiting person how a sweep goes: a line for each run that ends, and below, on a terminal, one that is
/// redrawn:
///
///     3 of 12 runs done, 2 running, 7 left, 12.5 runs/h, 43 min 10 s to go
///
/// A log file sees that line once a minute. Time and rate are of runs that go on to their last update.
class SweepProgress {
 public:
  /// `slots`: how many runs go on together.
  SweepProgress(bool quiet, const std::string& metric, size_t slots, ProgressOutput output = progress_on_stderr());
  ~SweepProgress();

  /// `shares`: of each run. Called often: how many are running counts as long as until the next call.
  void show(size_t running, const std::vector<RunShare>& shares);
  void run_ended(const RunResult& result, const std::string& arm, double seconds);
  void say(const std::string& text);

 private:
  std::string line(size_t running, const std::vector<RunShare>& shares) const;
  std::string forecast(const std::vector<RunShare>& shares) const;

  bool quiet_;
  std::string metric_;
  double slots_;
  ProgressOutput output_;
  double start_ = 0, first_made_ = -1;  // of the first show(): what was done before is no measure
  double seen_ = 0, busy_ = 0;          // the last show(), and the seconds of all runs together up to it
  double shown_ = -1e9;
  bool drawn_ = false;
};

/// The update that a run's log has come to, read from its end: cheap enough for twice a second.
int64_t last_update(const std::filesystem::path& run);

}  // namespace plumb::sweep
