#include "plumb/sweep/run_all.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <future>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/directory_lock.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/make_folder.h"
#include "plumb/process/engine_process.h"
#include "plumb/process/front_process.h"
#include "plumb/process/signals.h"
#include "plumb/sweep/prepare_data.h"
#include "plumb/sweep/progress.h"
#include "plumb/sweep/stored_plan.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kTries = 2;
constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kSilence{1};  // work that takes longer is spoken of
constexpr char kSaid[] = "engine.log", kUnfinishedTest[] = "test.json.part";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_result(int status) {
  if (!WIFEXITED(status)) return false;
  const int code = WEXITSTATUS(status);
  return code == static_cast<int>(Exit::Done) || code == static_cast<int>(Exit::DivergedOrStuck);
}

// For all runs at a time: what the command line says, or the file, or all that there are.
int cores_of(const Sweep& sweep, const RunOptions& options) {
  const int given = options.cores > 0 ? options.cores : sweep.cores;
  if (given == 0) return usable_cores();
  if (given >= sweep.threads) return given;
  throw UserError(
      options.cores > 0 ? "--cores" : place_of(sweep) + " cores",
      fmt::format("{} cannot hold a run with threads = {}", counted(static_cast<size_t>(given), "core"), sweep.threads),
      "Give more cores, or fewer threads");
}

/// The sweep's folder, which nobody else has as long as this lives. One that was made for it and has stayed empty,
/// since something was wrong with the sweep, goes with it.
class OwnFolder {
 public:
  explicit OwnFolder(const fs::path& path) : path_(path) {
    if (path.empty()) throw UserError("--out", "is empty", "Name a directory for the runs");
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_directory(path, ignored)) {
      throw UserError(path.string(), "is no directory", "Choose another --out");
    }
    made_ = fs::create_directories(path, ignored);
    lock_ = lock_directory(path, "another process runs a sweep in it");
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code not_empty;
    if (made_) fs::remove(path_, not_empty);
  }

 private:
  fs::path path_;
  bool made_ = false;
  FileDescriptor lock_;
};

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
        slots_(static_cast<size_t>(std::max(1, cores_of(sweep, options) / sweep.threads))),
        data_(sweep, arms_, plumb_, options.out),
        progress_(options.quiet, sweep.metric, slots_) {}

  SweepResults run(const StoredPlan& plan) {
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
    plan.write();
    data_.write();
    write(make_results(sweep_, options_.out, results_));
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
    const int asked = cores_of(sweep_, options_), there = usable_cores();
    if (asked > there) text += fmt::format("; {} cores for them, and this machine has {}", asked, there);
    progress_.say(text);
  }

  void prepare() {
    std::future<void> work = std::async(std::launch::async, [&] { prepare_all(); });
    if (work.wait_for(kSilence) == std::future_status::timeout) progress_.say("preparing the data");
    work.get();
  }

  void prepare_all() {
    for (const Waiting& task : waiting_) {
      if (signals_.first() != 0) throw SweepInterrupted{signals_.first()};
      try {
        check_data(data_.prepare(results_[task.run].run));
      } catch (const Error&) {
        // The terminal sends Ctrl-C to that process as well.
        if (signals_.first() != 0) throw SweepInterrupted{signals_.first()};
        throw;
      }
    }
  }

  // Without it every test would fail, after all the training.
  void check_data(const Prepared& data) const {
    if (!sweep_.test || data.test.there()) return;
    throw UserError(place_of(sweep_) + " test", "the data has no test set", "Set data.test_source, or leave test out");
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
    std::vector<std::string> arguments = {"evaluate",
                                          folder(run).string(),
                                          "--split",
                                          "test",
                                          "--json",
                                          "--average",
                                          std::to_string(sweep_.test_average)};
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
    make_folder(here);
    std::error_code error;
    const uintmax_t said = fs::file_size(here / kSaid, error);
    const bool test = results_[task.run].summary.ended();  // and is waiting all the same
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
    // The log decides: a process may die after its run has ended.
    const bool done = job.testing ? !result.pending : result.summary.ended();
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
    for (const Job& job : jobs_) job.process.signal(SIGTERM);  // whatever came: the engine does not save at SIGHUP
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

  // A run without a last update has made nothing, then everything. What is still to be tested has not made all.
  RunShare share(size_t run, int64_t update) const {
    const bool ended = !results_[run].pending || !results_[run].error.empty();
    if (updates_[run] <= 0) return {.made = ended ? 1.0 : 0.0, .ended = ended};
    const double made = static_cast<double>(update) / static_cast<double>(updates_[run]);
    return {.made = std::min(made, ended ? 1 : 0.99), .ended = ended};
  }

  const std::vector<RunShare>& shares() {
    if (seconds_since(shares_at_) < 0.4 && shares_.size() == results_.size()) return shares_;
    shares_at_ = Clock::now();
    shares_.clear();
    for (size_t i = 0; i < results_.size(); ++i) shares_.push_back(share(i, results_[i].summary.update));
    for (const Job& job : jobs_) shares_[job.run] = share(job.run, last_update(folder(job.run)));
    return shares_;
  }

  void write(const SweepResults& results) const {
    write_whole(options_.out / "sweep.json", to_json_line(to_json(results)) + "\n");
  }

  const Sweep& sweep_;
  const RunOptions& options_;
  std::vector<Arm> arms_;
  fs::path plumb_;
  size_t slots_;
  SweepData data_;
  CaughtSignals signals_;
  SweepProgress progress_;
  std::vector<RunResult> results_;
  std::vector<int64_t> updates_;  // of each run, if it has a limit
  std::deque<Waiting> waiting_;
  std::vector<Job> jobs_;
  std::map<size_t, int> failures_;  // of the step that a run is at
  std::map<size_t, Clock::time_point> started_;
  std::vector<RunShare> shares_;
  Clock::time_point shares_at_;
};

}  // namespace

SweepResults run_all(const Sweep& sweep, const RunOptions& options) {
  check_sweep(sweep);
  const OwnFolder folder(options.out);
  const StoredPlan plan(sweep, options.out);
  return Runner(sweep, options).run(plan);
}

}  // namespace plumb
