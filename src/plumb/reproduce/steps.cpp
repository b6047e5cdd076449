#include "plumb/reproduce/steps.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/clock.h"
#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/base/to_stderr.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/process/engine_process.h"
#include "plumb/process/front_process.h"
#include "plumb/process/signals.h"
#include "plumb/reproduce/evidence.h"
#include "plumb/sweep/read_sweep.h"
#include "plumb/sweep/run_all.h"

namespace plumb::reproduce {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{20};
constexpr char kSeconds[] = "seconds";

void add_curves(const fs::path& file, const std::string& of, Measurements& into) {
  for (MeasuredCurve& curve : measured_curves(file, of)) into.curves.push_back(std::move(curve));
}

/// One entry's sweeps, as far as its probes need to find their runs.
using SweepsByName = std::map<std::string, sweep::SweepResults>;

void refuse_failed(const sweep::SweepResults& results) {
  for (const sweep::RunResult& run : results.runs) {
    if (run.error.empty()) continue;
    throw Error(Exit::OurMistake, (results.out / run.run.folder).string(), "could not be trained: " + run.error,
                "Mend that and call `plumb reproduce` again; nothing was judged");
  }
}

void add_sweep(const sweep::SweepResults& results, Evidence& evidence) {
  for (const sweep::ArmResult& arm : results.arms) {
    for (const size_t index : arm.runs) {
      MeasuredRun run = measured_run(results.out / results.runs[index].run.folder, arm.arm.name);
      for (const MeasuredRun& other : evidence.measured.runs) {
        if (other.arm != run.arm || other.seed != run.seed) continue;
        throw UserError(results.sweep.file.string(), fmt::format("the arm {} is in two sweeps of an entry", run.arm),
                        "Rename it in one of them");
      }
      for (const auto& [name, value] : results.runs[index].test) run.numbers[kTestPrefix + name] = value;
      evidence.seconds += run.numbers["seconds"];
      evidence.measured.runs.push_back(std::move(run));
    }
  }
}

fs::path run_folder(const ProbeStep& step, const sweep::SweepResults& results) {
  const sweep::ArmResult* arm = results.find(step.arm);
  if (arm) {
    for (const size_t index : arm->runs) {
      const sweep::RunResult& run = results.runs[index];
      if (run.run.seed == step.seed) return results.out / run.run.folder;
    }
  }
  throw UserError(results.sweep.file.string(), fmt::format("has no run of {} with seed {}", step.arm, step.seed),
                  "Check desk.probe of the entry");
}

// Where the readings of a run lie in the run's own folder, so that they go when it goes.
fs::path probe_folder(const ProbeStep& step, const fs::path& subject, const StepOptions& options) {
  const std::string name = fmt::format("{}-{}", fmt::join(step.only, "-"), sha256_hex(identity_of(step)).substr(0, 12));
  return (step.config.empty() ? subject : options.out) / kProbesFolder / name;
}

std::vector<std::string> arguments_of(const ProbeStep& step, const fs::path& subject, const fs::path& folder) {
  std::vector<std::string> arguments = {"probe", subject.string(), "--only",
                                        fmt::format("{}", fmt::join(step.only, ","))};
  if (!step.compare.empty()) {
    arguments.insert(arguments.end(), {"--compare", fmt::format("{}", fmt::join(step.compare, ","))});
  }
  if (!step.checkpoint.empty()) arguments.insert(arguments.end(), {"--checkpoint", step.checkpoint});
  for (const std::string& one : step.set) arguments.insert(arguments.end(), {"--set", one});
  arguments.insert(arguments.end(), {"--out", folder.string()});
  return arguments;
}

double seconds_in(const fs::path& file) {
  double seconds = 0;
  std::ifstream(file) >> seconds;
  return seconds;
}

// It says how far it is on our stderr. A signal that comes meanwhile ends it first, and so does our own end.
void run_probe(const ProbeStep& step, const std::vector<std::string>& arguments) {
  const CaughtSignals signals;
  Child process = start_engine(find_front(), arguments, /*said=*/{});
  std::optional<ExitStatus> status;
  for (bool told = false; !(status = process.ended()); std::this_thread::sleep_for(kPause)) {
    if (signals.first() == 0 || told) continue;
    process.signal(SIGTERM);
    told = true;
  }
  if (signals.first() != 0) throw Interrupted{signals.first()};
  if (status->succeeded()) return;
  throw Error(static_cast<Exit>(status->code().value_or(static_cast<int>(Exit::OurMistake))),
              fmt::format("probe {}: `plumb probe` {}", step.name, status->in_words()));
}

void add_probe(const ProbeStep& step, const SweepsByName& sweeps, const StepOptions& options, Evidence& evidence) {
  const fs::path subject = step.config.empty() ? run_folder(step, sweeps.at(step.sweep)) : fs::path(step.config);
  const fs::path folder = probe_folder(step, subject, options);
  if (!fs::exists(folder / kProbeFile)) {
    if (!options.quiet) to_stderr("probing {} ({})\n", step.name, fmt::join(step.only, ", "));
    const auto start = std::chrono::steady_clock::now();
    run_probe(step, arguments_of(step, subject, folder));
    write_whole(folder / kSeconds, fmt::format("{:.1f}\n", seconds_since(start)));
  }
  evidence.seconds += seconds_in(folder / kSeconds);
  add_curves(folder / kProbeFile, step.compare.empty() ? step.name : "", evidence.measured);
}

}  // namespace

Evidence gather(const Entry& entry, const StepOptions& options) {
  Evidence evidence;
  SweepsByName sweeps;
  for (const fs::path& file : entry.desk.sweeps) {
    const sweep::Sweep sweep = sweep::read_sweep(file);
    sweep::SweepResults results = sweep::run_all(
        sweep, {.out = options.out / sweep_name(file), .cores = options.cores, .quiet = options.quiet, .plumb = {}});
    refuse_failed(results);
    add_sweep(results, evidence);
    sweeps.emplace(sweep_name(file), std::move(results));
  }
  for (const ProbeStep& step : entry.desk.probes) add_probe(step, sweeps, options, evidence);
  for (const fs::path& file : entry.desk.records) add_curves(file, "", evidence.measured);
  return evidence;
}

}  // namespace plumb::reproduce
