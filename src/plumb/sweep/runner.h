#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumb/process/child.h"
#include "plumb/process/signals.h"
#include "plumb/sweep/prepare_data.h"
#include "plumb/sweep/progress.h"
#include "plumb/sweep/results.h"
#include "plumb/sweep/sweep.h"

namespace plumb::sweep {

struct RunOptions {
  std::filesystem::path out;         // the directory of all runs
  int cores = 0;                     // 0: Sweep::cores
  bool quiet = false;                // no progress on stderr
  std::filesystem::path plumb = {};  // the program to start; empty: the one that this is, or is beside
};

/// The program that `options` name.
std::filesystem::path program_of(const RunOptions& options);

/// One process of a run: `plumb` with these arguments.
struct Step {
  std::vector<std::string> arguments;
  std::filesystem::path output = {};  // takes its stdout; empty: nothing does
};

/// What a Runner leaves to who uses it: how runs are measured once they have trained, and what is kept of that.
class Measuring {
 public:
  virtual ~Measuring() = default;

  /// What the folder of a run holds now. As long as it is pending the Runner works on it.
  virtual RunResult read(const Run& run) = 0;
  /// The next process of a run that has trained and is still pending.
  virtual Step next_step(const RunResult& result) = 0;
  /// That process has done its work, and its output is whole.
  virtual void keep(const RunResult& result, const Step& step) = 0;
  /// Throws what is wrong with the data, before anything is trained on it.
  virtual void check_data(const Prepared& data) const = 0;
  /// A run has ended, or all of them are about to begin: the results as they are now.
  virtual void write(const std::vector<RunResult>& results) = 0;
};

/// Trains runs and measures them, several at a time within the cores, each step as a process of its own (`plumb train
/// --resume`, then what the Measuring asks for). A step that fails is started once more; then its run has an error. A
/// signal is passed on, and the runs save: throws Interrupted.
class Runner {
 public:
  /// All four are kept by reference.
  Runner(const Sweep& sweep, const RunOptions& options, SweepData& data, Measuring& measuring);

  /// Does what is pending of `runs`, in their order. Data is prepared first; `before_first` is called when nothing can
  /// be found wrong any more.
  std::vector<RunResult> run(const std::vector<Run>& runs, const std::function<void()>& before_first);

 private:
  /// A process that is running.
  struct Job {
    size_t run;
    bool training;
    Step step;
    Child process;
    uint64_t said_before;  // bytes of the log that are not its own
  };
  /// What is to be started: a run, and how often its next step has failed.
  struct Waiting {
    size_t run;
    int failures;
  };

  void say_what_is_left();
  void prepare();
  void prepare_all();
  std::filesystem::path folder(size_t run) const;
  Step training(size_t run) const;
  void start();
  void finish_ended();
  void finish(size_t index, const ExitStatus& status);
  [[noreturn]] void stop();
  RunShare share(size_t run, int64_t update) const;
  const std::vector<RunShare>& shares();

  const Sweep& sweep_;
  const RunOptions& options_;
  SweepData& data_;
  Measuring& measuring_;
  std::vector<Arm> arms_;
  size_t slots_;
  CaughtSignals signals_;
  SweepProgress progress_;
  std::vector<RunResult> results_;
  std::vector<int64_t> updates_;  // of each run, if it has a limit
  std::deque<Waiting> waiting_;
  std::vector<Job> jobs_;
  std::map<size_t, int> failures_;  // of the step that a run is at
  std::map<size_t, std::chrono::steady_clock::time_point> started_;
  std::vector<RunShare> shares_;
  std::chrono::steady_clock::time_point shares_at_;
};

}  // namespace plumb::sweep
