#include "plumb/sweep/run_all.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/directory_lock.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/sweep/engine_process.h"
#include "plumb/sweep/prepare_data.h"
#include "plumb/sweep/progress.h"
#include "plumb/sweep/signals.h"
#include "plumb/sweep/stored_plan.h"
#include "plumb/text/front_process.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kTries = 2;
constexpr std::chrono::milliseconds kPause{20};
constexpr char kSaid[] = "engine.log", kUnfinishedTest[] = "test.json.part";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_result(int status) {
  if (!WIFEXITED(status)) return false;
  const int code = WEXITSTATUS(status);
  return code == static_cast<int>(Exit::Done) || code == static_cast<int>(Exit::DivergedOrStuck);
}

/// One process, for one run: it trains, or evaluates what has trained.
struct Job {
  size_t run;
  bool testing;
  EngineProcess process;
  uint64_t said_before;  // bytes of the log that are not its own
};

/// What is to be started: a run, and how often its next step has failed.
struct Waiting {
  size_t run;
  int failures;
};

class Runner {
 public:
  Runner(const Sweep& sweep, const RunOptions& options)
      : sweep_(sweep),
        options_(options),
        arms_(arms_of(sweep)),
        plumb_(options.plumb.empty() ? find_front() : options.plumb),
        data_(sweep, arms_, plumb_),
        progress_(options.quiet, sweep.metric) {
    const int cores = options.cores > 0 ? options.cores : sweep.cores > 0 ? sweep.cores : usable_cores();
    slots_ = static_cast<size_t>(std::max(1, cores / sweep.threads));
  }

  SweepResults run() {
    const std::vector<Run> runs = runs_of(sweep_, arms_);
    for (const Run& run : runs) results_.push_back(read_result(sweep_, options_.out, run));
    std::vector<int64_t> updates_of_arm;
    for (const Arm& arm : arms_) updates_of_arm.push_back(config_of(sweep_, arm).train.max_update);
    for (size_t i = 0; i < runs.size(); ++i) {
      updates_.push_back(updates_of_arm[runs[i].arm]);
      if (results_[i].pending) waiting_.push_back({i, 0});
    }
    say_what_is_left();
    prepare();
    while (!waiting_.empty() || !jobs_.empty()) {
      if (signals_.first() != 0) stop();
      while (!waiting_.empty() && jobs_.size() < slots_) start();
      for (size_t i = jobs_.size(); i-- > 0;) {
        if (const std::optional<int> status = jobs_[i].process.ended()) finish(i, *status);
      }
      progress_.show(jobs_.size(), shares());
      std::this_thread::sleep_for(kPause);
    }
    SweepResults results = make_results(sweep_, options_.out, results_);
    compare_tests(results);
    write(results);
    return results;
  }

 private:
  void say_what_is_left() {
    const size_t done = results_.size() - waiting_.size();
    std::string text =
        fmt::format("{} ({}, {}), {} at a time, in {}", counted(results_.size(), "run"), counted(arms_.size(), "arm"),
                    counted(sweep_.seeds.size(), "seed"), std::min(slots_, results_.size()), options_.out.string());
    if (done > 0) text += fmt::format("; {} of them are done", done);
    progress_.say(text);
  }

  void prepare() {
    for (const Waiting& task : waiting_) {
      if (signals_.first() != 0) throw SweepInterrupted{signals_.first()};
      try {
        data_.prepare(results_[task.run].run);
      } catch (const Error&) {
        // The terminal sends Ctrl-C to that process as well.
        if (signals_.first() != 0) throw SweepInterrupted{signals_.first()};
        throw;
      }
    }
  }

  fs::path folder(size_t run) const { return options_.out / results_[run].run.folder; }

  std::vector<std::string> training(size_t run) const {
    const Run& r = results_[run].run;
    std::vector<std::string> arguments = {"train", sweep_.config.string()};
    for (const Override& one : overrides_of(sweep_, arms_[r.arm], r.seed)) {
      arguments.insert(arguments.end(), {"--set", one});
    }
    arguments.insert(arguments.end(), {"--out", folder(run).string(), "--resume"});
    return arguments;
  }

  std::vector<std::string> testing(size_t run) const {
    std::vector<std::string> arguments = {"evaluate", folder(run).string(), "--split", "test", "--json"};
    const std::string metric = test_metric_of(sweep_, config_of(sweep_, arms_[results_[run].run.arm]));
    if (metric.empty()) return arguments;
    arguments.insert(arguments.end(), {"--metric", metric, "--outputs", (folder(run) / kOutputsFile).string()});
    return arguments;
  }

  void start() {
    const Waiting task = waiting_.front();
    waiting_.pop_front();
    failures_[task.run] = task.failures;
    started_.try_emplace(task.run, Clock::now());
    const fs::path here = folder(task.run);
    std::error_code error;
    fs::create_directories(here, error);
    if (error) throw DiskError(here.string(), "cannot be created (" + error.message() + ")", "Choose another --out");
    const uintmax_t said = fs::file_size(here / kSaid, error);
    const bool test = results_[task.run].summary.ended();
    jobs_.push_back({.run = task.run,
                     .testing = test,
                     .process = EngineProcess(plumb_, test ? testing(task.run) : training(task.run), here / kSaid,
                                              test ? here / kUnfinishedTest : fs::path()),
                     .said_before = error ? 0 : said});
  }

  // What is tested on, beside the outputs: comparisons of runs need both.
  void keep_test(size_t run) {
    const std::string reference = data_.prepare(results_[run].run).test.target.text;
    std::error_code error;
    if (!reference.empty()) {
      fs::copy_file(reference, folder(run) / kReferencesFile, fs::copy_options::overwrite_existing, error);
    }
    // Last: it says that the test is done.
    if (!error) fs::rename(folder(run) / kUnfinishedTest, folder(run) / kTestFile, error);
    if (error) throw DiskError(folder(run).string(), "cannot be written (" + error.message() + ")", "Free some space");
  }

  void finish(size_t index, int status) {
    const Job job = std::move(jobs_[index]);
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(index));
    RunResult& result = results_[job.run];
    if (job.testing && is_result(status)) keep_test(job.run);
    result = read_result(sweep_, options_.out, result.run);
    const bool done = is_result(status) && (job.testing ? !result.pending : result.summary.ended());
    if (!done && signals_.first() != 0) return;  // it was told to
    if (!done && failures_[job.run] + 1 < kTries) {
      waiting_.push_front({job.run, failures_[job.run] + 1});
      return;
    }
    if (!done) {
      result.error = last_complaint(folder(job.run) / kSaid, job.said_before);
      if (result.error.empty() || WIFSIGNALED(status)) result.error = how_it_ended(status);
    } else if (result.pending) {
      waiting_.push_front({job.run, 0});  // the test
      return;
    }
    progress_.run_ended(result, arms_[result.run.arm].name, seconds_since(started_.at(job.run)));
    write(make_results(sweep_, options_.out, results_));
  }

  // Every run saves and ends; the same command goes on with it.
  [[noreturn]] void stop() {
    waiting_.clear();
    progress_.say("stopping: the runs save, the same command goes on (a second signal does not wait)");
    for (const Job& job : jobs_) job.process.signal(signals_.first());
    while (!jobs_.empty() && signals_.count() < 2) {
      for (size_t i = jobs_.size(); i-- > 0;) {
        if (const std::optional<int> status = jobs_[i].process.ended()) finish(i, *status);
      }
      waiting_.clear();  // a run that has just ended is tested the next time
      std::this_thread::sleep_for(kPause);
    }
    jobs_.clear();
    write(make_results(sweep_, options_.out, results_));
    throw SweepInterrupted{signals_.first()};
  }

  std::vector<double> shares() {
    if (seconds_since(shares_at_) < 0.4 && shares_.size() == results_.size()) return shares_;
    shares_at_ = Clock::now();
    shares_.assign(results_.size(), 0);
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i].pending || !results_[i].error.empty()) {
        shares_[i] = 1;
      } else if (updates_[i] > 0) {
        shares_[i] = 0.99 * static_cast<double>(results_[i].summary.update) / static_cast<double>(updates_[i]);
      }
    }
    for (const Job& job : jobs_) {
      const double made = static_cast<double>(last_update(folder(job.run)));
      if (updates_[job.run] > 0) shares_[job.run] = 0.99 * made / static_cast<double>(updates_[job.run]);
    }
    return shares_;
  }

  void write(const SweepResults& results) const {
    write_whole(options_.out / "sweep.json", to_json_line(to_json(results)) + "\n");
  }

  const Sweep& sweep_;
  const RunOptions& options_;
  std::vector<Arm> arms_;
  fs::path plumb_;
  SweepData data_;
  CaughtSignals signals_;
  SweepProgress progress_;
  size_t slots_ = 1;
  std::vector<RunResult> results_;
  std::vector<int64_t> updates_;  // of each run, if it has a limit
  std::deque<Waiting> waiting_;
  std::vector<Job> jobs_;
  std::map<size_t, int> failures_;  // of the step that a run is at
  std::map<size_t, Clock::time_point> started_;
  std::vector<double> shares_;
  Clock::time_point shares_at_;
};

}  // namespace

SweepResults run_all(const Sweep& sweep, const RunOptions& options) {
  check_sweep(sweep);
  if (options.out.empty()) throw UserError("--out", "is empty", "Name a directory for the runs");
  std::error_code ignored;
  fs::create_directories(options.out, ignored);
  const FileDescriptor lock = lock_directory(options.out, "another process runs a sweep in it");
  keep_plan(sweep, options.out);
  return Runner(sweep, options).run();
}

}  // namespace plumb
