#include "plumb/sweep/runner.h"

#include <algorithm>
#include <csignal>
#include <future>
#include <thread>

#include <fmt/format.h>

#include "plumb/base/clock.h"
#include "plumb/base/cores.h"
#include "plumb/base/error.h"
#include "plumb/base/make_folder.h"
#include "plumb/process/engine_process.h"
#include "plumb/process/front_process.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 2;
constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kSilence{1};  // work that takes longer is spoken of
constexpr char kSaid[] = "engine.log";

bool is_result(const ExitStatus& status) {
  const int code = status.code().value_or(-1);
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

// A run that takes all cores is trained alone.
size_t slots_of(const Sweep& sweep, const RunOptions& options) {
  const int cores = cores_of(sweep, options);
  return static_cast<size_t>(std::max(1, sweep.threads == 0 ? 1 : cores / sweep.threads));
}

}  // namespace

fs::path program_of(const RunOptions& options) {
  return options.plumb.empty() ? find_front() : options.plumb;
}

Runner::Runner(const Sweep& sweep, const RunOptions& options, SweepData& data, Measuring& measuring)
    : sweep_(sweep),
      options_(options),
      data_(data),
      measuring_(measuring),
      arms_(arms_of(sweep)),
      slots_(slots_of(sweep, options)),
      progress_(options.quiet, sweep.metric, slots_) {}

std::vector<RunResult> Runner::run(const std::vector<Run>& runs, const std::function<void()>& before_first) {
  for (const Run& run : runs) results_.push_back(measuring_.read(run));
  std::vector<int64_t> updates_of_arm;
  for (const Arm& arm : arms_) updates_of_arm.push_back(config_of(sweep_, arm).train.max_update);
  for (size_t i = 0; i < runs.size(); ++i) {
    updates_.push_back(updates_of_arm[runs[i].arm]);
    if (results_[i].pending) waiting_.push_back({i, 0});
  }
  say_what_is_left();
  prepare();
  before_first();
  measuring_.write(results_);
  while (!waiting_.empty() || !jobs_.empty()) {
    if (signals_.first() != 0) stop();
    while (!waiting_.empty() && jobs_.size() < slots_) start();
    finish_ended();
    progress_.show(jobs_.size(), shares());
    std::this_thread::sleep_for(kPause);
  }
  return results_;
}

void Runner::say_what_is_left() {
  const size_t done = results_.size() - waiting_.size();
  std::string text =
      fmt::format("{} ({}, {}), {} at a time, in {}", counted(results_.size(), "run"), counted(arms_.size(), "arm"),
                  counted(sweep_.seeds.size(), "seed"), std::min(slots_, results_.size()), options_.out.string());
  if (done > 0) text += fmt::format("; {} of them are done", done);
  const int asked = cores_of(sweep_, options_), there = usable_cores();
  if (asked > there) text += fmt::format("; {} cores for them, and this machine has {}", asked, there);
  progress_.say(text);
}

void Runner::prepare() {
  std::future<void> work = std::async(std::launch::async, [&] { prepare_all(); });
  if (work.wait_for(kSilence) == std::future_status::timeout) progress_.say("preparing the data");
  work.get();
}

void Runner::prepare_all() {
  for (const Waiting& task : waiting_) {
    if (signals_.first() != 0) throw Interrupted{signals_.first()};
    try {
      measuring_.check_data(data_.prepare(results_[task.run].run));
    } catch (const Error&) {
      // The terminal sends Ctrl-C to that process as well.
      if (signals_.first() != 0) throw Interrupted{signals_.first()};
      throw;
    }
  }
}

fs::path Runner::folder(size_t run) const {
  return options_.out / results_[run].run.folder;
}

Step Runner::training(size_t run) const {
  const Run& r = results_[run].run;
  Step step{.arguments = {"train", sweep_.config.string()}};
  for (const Override& one : overrides_of(sweep_, arms_[r.arm], r.seed)) {
    step.arguments.insert(step.arguments.end(), {"--set", one});
  }
  step.arguments.insert(step.arguments.end(), {"--out", folder(run).string(), "--resume"});
  return step;
}

void Runner::start() {
  const Waiting task = waiting_.front();
  waiting_.pop_front();
  failures_[task.run] = task.failures;
  started_.try_emplace(task.run, std::chrono::steady_clock::now());
  const fs::path here = folder(task.run);
  make_folder(here);
  std::error_code error;
  const uintmax_t said = fs::file_size(here / kSaid, error);
  const bool trains = !results_[task.run].summary.ended();
  Step step = trains ? training(task.run) : measuring_.next_step(results_[task.run]);
  Child process = start_engine(program_of(options_), step.arguments, here / kSaid, step.output);
  jobs_.push_back({.run = task.run,
                   .training = trains,
                   .step = std::move(step),
                   .process = std::move(process),
                   .said_before = error ? 0 : said});
}

void Runner::finish_ended() {
  for (size_t i = jobs_.size(); i-- > 0;) {
    if (const std::optional<ExitStatus> status = jobs_[i].process.ended()) finish(i, *status);
  }
}

void Runner::finish(size_t index, const ExitStatus& status) {
  const Job job = std::move(jobs_[index]);
  jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(index));
  RunResult& result = results_[job.run];
  if (!job.training && is_result(status)) measuring_.keep(result, job.step);
  result = measuring_.read(result.run);
  // The folder decides: a process may die after its run has ended. A step that is asked for again has done nothing.
  const bool done = job.training ? result.summary.ended()
                                 : !result.pending || measuring_.next_step(result).arguments != job.step.arguments;
  if (!done && signals_.first() != 0) return;  // it was told to
  if (!done && failures_[job.run] + 1 < kTries) {
    waiting_.push_front({job.run, failures_[job.run] + 1});
    return;
  }
  if (!done) {
    result.error = last_complaint(folder(job.run) / kSaid, job.said_before);
    if (result.error.empty() || !status.code()) {
      result.error = fmt::format("`plumb {}` {}", job.step.arguments.front(), status.in_words());
    }
    result.exit_code = status.code().value_or(0);
  } else if (result.pending) {
    waiting_.push_front({job.run, 0});  // its next step
    return;
  }
  progress_.run_ended(result, arms_[result.run.arm].name, seconds_since(started_.at(job.run)));
  measuring_.write(results_);
}

// Every run saves and ends; the same command resumes it.
void Runner::stop() {
  waiting_.clear();
  progress_.say("Stopping: waiting for runs to save. Run the same command to continue; Ctrl-C again quits now.");
  for (const Job& job : jobs_) job.process.signal(SIGTERM);  // whatever came
  while (!jobs_.empty() && signals_.count() < 2) {
    finish_ended();
    waiting_.clear();  // a run that has just ended is measured the next time
    std::this_thread::sleep_for(kPause);
  }
  jobs_.clear();
  measuring_.write(results_);
  throw Interrupted{signals_.first()};
}

// A run without a last update has made nothing, then everything. What is still to be measured has not made all.
RunShare Runner::share(size_t run, int64_t update) const {
  const bool ended = !results_[run].pending || !results_[run].error.empty();
  if (updates_[run] <= 0) return {.made = ended ? 1.0 : 0.0, .ended = ended};
  const double made = static_cast<double>(update) / static_cast<double>(updates_[run]);
  return {.made = std::min(made, ended ? 1 : 0.99), .ended = ended};
}

const std::vector<RunShare>& Runner::shares() {
  if (seconds_since(shares_at_) < 0.4 && shares_.size() == results_.size()) return shares_;
  shares_at_ = std::chrono::steady_clock::now();
  shares_.clear();
  for (size_t i = 0; i < results_.size(); ++i) shares_.push_back(share(i, results_[i].summary.update));
  for (const Job& job : jobs_) shares_[job.run] = share(job.run, last_update(folder(job.run)));
  return shares_;
}

}  // namespace plumb::sweep
