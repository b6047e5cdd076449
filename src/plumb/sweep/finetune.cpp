#include "plumb/sweep/finetune.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/statistics.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/load.h"
#include "plumb/config/presets.h"
#include "plumb/runs/checkpoint_list.h"
#include "plumb/sweep/own_folder.h"
#include "plumb/sweep/tuned_runs.h"

namespace plumb::sweep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(mark, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

Axis axis_of(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw UserError("--grid", fmt::format("'{}' has no values", text), "Write key=a,b,c");
  }
  return {text.substr(0, equals), split_at(text.substr(equals + 1), ',')};
}

// The updates, in the order in which they were asked for; best and last may be the same one.
std::vector<int64_t> chosen_updates(const FineTuning& wanted) {
  std::vector<int64_t> chosen;
  if (wanted.checkpoints == "all") {
    chosen = checkpoint_updates(wanted.from);
    if (chosen.empty()) chosen_checkpoint(wanted.from, "last");  // says what is missing
    return chosen;
  }
  for (const std::string& one : split_at(wanted.checkpoints, ',')) {
    const int64_t update = chosen_checkpoint(wanted.from, one);
    if (std::ranges::find(chosen, update) == chosen.end()) chosen.push_back(update);
  }
  return chosen;
}

bool sets(const Override& one, std::string_view key) {
  return one.starts_with(key) && one.substr(key.size()).starts_with('=');
}

// The grid of a fine-tuning as that of a sweep: a checkpoint is a listed arm.
Sweep as_sweep(const FineTuning& wanted, const Config& config) {
  Sweep sweep;
  sweep.name = "finetune";
  sweep.config = wanted.config;
  sweep.set = wanted.set;
  std::erase_if(sweep.set, [](const Override& one) { return sets(one, "seed") || sets(one, "threads"); });
  sweep.threads = config.threads;
  for (const std::string& text : wanted.grid) {
    sweep.grid.push_back(axis_of(text));
    std::erase_if(sweep.set, [&](const Override& one) { return sets(one, sweep.grid.back().key); });  // the grid wins
  }
  for (const int64_t update : chosen_updates(wanted)) {
    sweep.arms.push_back({std::to_string(update), {fmt::format("train.pretrained={}@{}", wanted.from, update)}});
  }
  sweep.seeds.clear();
  for (int64_t seed = 1; seed <= wanted.seeds; ++seed) sweep.seeds.push_back(seed);
  check_sweep(sweep);
  const std::string metric(task_row(task_of(config)).metric);
  if (!metric.empty()) sweep.metric = metric;
  return sweep;
}

// key=value of the grid alone: what a listed arm sets, the checkpoint, comes first.
std::vector<std::string> settings_of(const Sweep& sweep, const Arm& arm) {
  return {arm.overrides.end() - static_cast<std::ptrdiff_t>(sweep.grid.size()), arm.overrides.end()};
}

fs::path run_name(const Sweep& sweep, const Arm& arm, int64_t seed) {
  std::string name = fmt::format("{}-{}-seed{}", arm.listed, fmt::join(settings_of(sweep, arm), "-"), seed);
  for (char& c : name) {
    if (c == '/' || c == ' ') c = '_';
  }
  return name;
}

// After the first seed every arm has a result.
std::vector<Run> runs_by_seed(const Sweep& sweep, const std::vector<Arm>& arms) {
  std::vector<Run> runs;
  for (const int64_t seed : sweep.seeds) {
    for (size_t arm = 0; arm < arms.size(); ++arm) runs.push_back({arm, seed, run_name(sweep, arms[arm], seed)});
  }
  return runs;
}

void refuse_error(const std::vector<RunResult>& results) {
  for (const RunResult& result : results) {
    if (result.error.empty()) continue;
    const int code = result.exit_code > 0 ? result.exit_code : static_cast<int>(Exit::OurMistake);
    throw Error(static_cast<Exit>(code), fmt::format("{}: {}", result.run.folder.string(), result.error));
  }
}

std::string words_of(const std::vector<std::string>& settings) {
  return settings.empty() ? "as configured" : fmt::format("{}", fmt::join(settings, " "));
}

std::string interval_of(const Summary& s) {
  return s.count > 1 ? fmt::format("{:.2f} .. {:.2f}", s.low, s.high) : "-";
}

}  // namespace

FineTuned finetune(const FineTuning& wanted, const RunOptions& options) {
  std::vector<std::string> first = wanted.set;
  first.push_back(fmt::format("train.pretrained={}", wanted.from));
  const Sweep sweep = as_sweep(wanted, load_config(wanted.config, first));
  const std::vector<Arm> arms = arms_of(sweep);
  const std::vector<Run> runs = runs_by_seed(sweep, arms);
  const OwnFolder folder(options.out);
  SweepData data(sweep, arms, program_of(options), options.out);
  TunedRuns tuned_runs(sweep, arms, options.out, data);
  for (const Run& run : runs) tuned_runs.check(run);
  const std::vector<RunResult> results = Runner(sweep, options, data, tuned_runs).run(runs, [&] { data.write(); });
  refuse_error(results);

  FineTuned tuned{.metric = sweep.metric, .arms = {}, .runs = nlohmann::json::array()};
  for (size_t i = 0; i < arms.size(); ++i) {
    TunedArm arm{.checkpoint = arms[i].listed, .settings = settings_of(sweep, arms[i])};
    for (const RunResult& result : results) {
      if (result.run.arm != i) continue;
      const nlohmann::json record = tuned_runs.result(result.run);
      if (result.summary.failed()) ++arm.failed;
      if (record.contains("valid")) {
        arm.scores.push_back(number_of_json(record["valid"].at(tuned.metric)));
        tuned.majority = record["valid"].value(tuned.metric + ".majority", 0.0);
      }
      tuned.runs.push_back(record);
    }
    tuned.arms.push_back(std::move(arm));
  }
  return tuned;
}

std::string finetune_text(const FineTuned& tuned) {
  const auto right = Table::Align::Right;
  Table table({{"checkpoint"},
               {"setting"},
               {"seeds", right},
               {tuned.metric, right},
               {"95 % interval", right},
               {"deviation", right},
               {"failed", right}});
  for (const TunedArm& arm : tuned.arms) {
    const bool any = !arm.scores.empty();
    const Summary s = any ? summarise(arm.scores) : Summary{};
    table.add_row({arm.checkpoint, words_of(arm.settings), std::to_string(arm.scores.size()),
                   any ? fmt::format("{:.2f}", s.mean) : "-", interval_of(s),
                   any ? fmt::format("{:.2f}", s.deviation) : "-", std::to_string(arm.failed)});
  }
  std::string text = table.to_string();
  if (tuned.majority > 0)
    text += fmt::format("\nWho always says the most frequent label has {:.2f}.\n", tuned.majority);
  return text;
}

}  // namespace plumb::sweep
