#include "plumb/sweep/tuned_runs.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/base/jsonl.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/config/difference.h"
#include "plumb/config/from_toml.h"
#include "plumb/config/load.h"
#include "plumb/data/sized_by.h"
#include "plumb/runs/checkpoint_list.h"
#include "plumb/sweep/stored_sweep.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

constexpr char kResultFile[] = "result.json", kPart[] = ".part";
constexpr const char* kSplits[] = {"valid", "test"};
constexpr char kOtherRun[] = "Choose another --out, or remove it";

bool file_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

nlohmann::json whole_json(const fs::path& file) {
  nlohmann::json json = nlohmann::json::parse(file_content(file), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw DamagedFile(file.string(), "is not whole", "Remove its folder");
  return json;
}

fs::path split_file(const fs::path& run, const std::string& split) {
  return run / (split + ".json");
}

// What `plumb evaluate --json` says, without what it was asked for.
nlohmann::json numbers_of_evaluation(const fs::path& file) {
  nlohmann::json numbers = whole_json(file);
  for (const char* key : {"run", "split", "update", "average", "targets", "nll", "ppl"}) numbers.erase(key);
  return numbers;
}

}  // namespace

TunedRuns::TunedRuns(const Sweep& sweep, const std::vector<Arm>& arms, fs::path out, SweepData& data)
    : sweep_(sweep), arms_(arms), out_(std::move(out)), data_(data) {}

void TunedRuns::check(const Run& run) {
  const fs::path file = folder(run) / kConfigFile;
  if (!file_exists(file)) return;
  const Config then = from_toml(file_content(file), file.string());
  const Config now = load_config(sweep_.config, overrides_of(sweep_, arms_[run.arm], run.seed));
  // Whether the data is another is another question.
  const std::vector<Difference> changes = differences(comparable(then), comparable(sized_as(now, then)));
  if (!changes.empty()) {
    throw UserError(folder(run).string(),
                    fmt::format("holds a run with another config ({})", changes.front().in_words()), kOtherRun);
  }
  if (!file_exists(folder(run) / kResultFile)) return;
  if (result(run).value("data", "") == data_.prepare(run).fingerprint) return;
  throw UserError(folder(run).string(), "holds a run on other data", kOtherRun);
}

nlohmann::json TunedRuns::result(const Run& run) const {
  return whole_json(folder(run) / kResultFile);
}

RunResult TunedRuns::read(const Run& run) {
  RunResult found{.run = run, .summary = read_run_summary(folder(run))};
  if (!found.summary.ended()) return found;
  if (!file_exists(folder(run) / kResultFile)) {
    if (!missing_split(run).empty()) return found;
    write_result(run, found.summary);
  }
  found.pending = false;
  const nlohmann::json numbers = result(run).value("valid", nlohmann::json::object());
  const double value = numbers.contains(sweep_.metric) ? number_of_json(numbers[sweep_.metric]) : NAN;
  if (std::isfinite(value)) found.value = value;
  return found;
}

// A run that diverged before its first checkpoint has nothing to evaluate.
std::string TunedRuns::missing_split(const Run& run) {
  if (checkpoint_updates(folder(run)).empty()) return "";
  const Prepared& data = data_.prepare(run);
  for (const std::string split : kSplits) {
    const bool there = split == "valid" ? data.valid.there() : data.test.there();
    if (there && !file_exists(split_file(folder(run), split))) return split;
  }
  return "";
}

Step TunedRuns::next_step(const RunResult& result) {
  const fs::path run = folder(result.run);
  const std::string split = missing_split(result.run);
  return {.arguments = {"evaluate", run.string(), "--split", split, "--checkpoint", "last", "--json"},
          .output = split_file(run, split) += kPart};
}

void TunedRuns::keep(const RunResult& result, const Step& step) {
  fs::path whole = step.output;
  std::error_code error;
  fs::rename(step.output, whole.replace_extension(), error);
  if (!error) return;
  throw DiskError(folder(result.run).string(), "cannot be written (" + error.message() + ")", "Free some space");
}

void TunedRuns::write_result(const Run& run, const RunSummary& summary) {
  const Arm& arm = arms_[run.arm];
  const std::vector<std::string> settings(arm.overrides.end() - static_cast<std::ptrdiff_t>(sweep_.grid.size()),
                                          arm.overrides.end());
  nlohmann::json result = {{"checkpoint", arm.listed},
                           {"settings", settings},
                           {"seed", run.seed},
                           {"config", file_content(folder(run) / kConfigFile)},
                           {"data", data_.prepare(run).fingerprint},
                           {"outcome", state_name(summary.state)}};
  for (const std::string split : kSplits) {
    const fs::path file = split_file(folder(run), split);
    if (file_exists(file)) result[split] = numbers_of_evaluation(file);
  }
  write_whole(folder(run) / kResultFile, to_json_line(result));
}

}  // namespace plumb::sweep
