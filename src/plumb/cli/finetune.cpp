// plumb finetune CONFIG --from RUN [--seeds N] [--grid key=a,b]... [--checkpoints all] [--out DIR]

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"
#include "plumb/config/presets.h"
#include "plumb/data/prepare_data.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/ops/path.h"
#include "plumb/probe/statistics.h"
#include "plumb/runs/outcome.h"
#include "plumb/train/evaluation.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Settings = std::vector<std::string>;  // key=value

struct FinetuneRequest {
  std::string command, config, from, checkpoints = "best", out = "runs/finetune";
  std::vector<std::string> overrides, grid;
  int64_t seeds = 6;
  bool json = false;
};

/// One point of the grid, from one checkpoint, over all seeds.
struct GridPoint {
  std::string checkpoint;
  Settings settings;
  std::vector<double> scores = {};
  int64_t failed = 0;  // seeds that diverged or got stuck; they count with what they reached
};

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(mark, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

// Every combination of the values.
std::vector<Settings> grid_points(const std::vector<std::string>& grid) {
  std::vector<Settings> points = {{}};
  for (const std::string& axis : grid) {
    const size_t equals = axis.find('=');
    if (equals == std::string::npos) {
      throw UserError("--grid", fmt::format("'{}' has no values", axis), "Write key=a,b,c");
    }
    std::vector<Settings> longer;
    for (const Settings& point : points) {
      for (const std::string& value : split_at(axis.substr(equals + 1), ',')) {
        longer.push_back(point);
        longer.back().push_back(axis.substr(0, equals + 1) + value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::vector<std::string> checkpoints_of(const FinetuneRequest& request) {
  const Checkpoints all(request.from);
  if (request.checkpoints != "all") {
    std::vector<std::string> chosen;
    for (const std::string& one : split_at(request.checkpoints, ',')) chosen.push_back(std::to_string(all.chosen(one)));
    return chosen;
  }
  std::vector<std::string> updates;
  for (int64_t update : all.updates()) updates.push_back(std::to_string(update));
  if (updates.empty()) all.chosen("last");  // says what is missing
  return updates;
}

std::string joined_words(const Settings& settings) {
  return settings.empty() ? "as configured" : fmt::format("{}", fmt::join(settings, " "));
}

std::string folder_name(const GridPoint& arm, int64_t seed) {
  std::string name = fmt::format("{}-{}-seed{}", arm.checkpoint, fmt::join(arm.settings, "-"), seed);
  for (char& c : name) {
    if (c == '/' || c == ' ') c = '_';
  }
  return name;
}

/// Ctrl-C: the run has been saved and has said so.
struct FinetuneInterrupted {
  int signal;
};

// What an earlier call left, if it is the result of the same config on the same data.
std::optional<nlohmann::json> earlier_result(const fs::path& file, const Config& config, const Prepared& data) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  try {
    std::ifstream in(file);
    nlohmann::json earlier = nlohmann::json::parse(in);
    if (earlier.at("config") == to_toml(config) && earlier.at("data") == data.fingerprint) return earlier;
  } catch (const nlohmann::json::exception&) {
    throw DamagedFile(file.string(), "is not whole", "Remove its folder");
  }
  throw UserError(file.parent_path().string(), "holds a run with another config or on other data",
                  "Choose another --out, or remove it");
}

// Trains one seed, or reads what an earlier call left.
nlohmann::json result_of(const FinetuneRequest& request, const GridPoint& arm, int64_t seed) {
  const fs::path run = fs::path(request.out) / folder_name(arm, seed), file = run / "result.json";
  Settings settings = request.overrides;
  settings.push_back(fmt::format("train.pretrained={}@{}", request.from, arm.checkpoint));
  settings.insert(settings.end(), arm.settings.begin(), arm.settings.end());
  settings.push_back(fmt::format("seed={}", seed));
  Sources sources;
  Config config = load_config(request.config, settings, &sources);
  set_threads(config.threads);
  ops::set_path(config.ops);
  const Prepared data = prepare_data(request.config, settings, config, sources);
  if (std::optional<nlohmann::json> earlier = earlier_result(file, config, data)) return *earlier;
  Trainer trainer(config, data, run);
  trainer.made_by(request.command);
  trainer.resume(/*allow_changes=*/false);
  const RunOutcome outcome = trainer.run();
  if (outcome == RunOutcome::Interrupted) throw FinetuneInterrupted{trainer.caught_signal()};

  Transformer model(config.model, static_cast<uint64_t>(seed));
  const Checkpoints checkpoints(run);
  nlohmann::json result = {
      {"checkpoint", arm.checkpoint}, {"settings", arm.settings}, {"seed", seed},
      {"config", to_toml(config)},    {"data", data.fingerprint}, {"outcome", outcome_name(outcome)}};
  if (!checkpoints.updates().empty()) {
    load_average(model.parameters(), {checkpoints.model_file(checkpoints.chosen("last"))});
    const std::unique_ptr<Task> task = make_task(config, vocabulary_of(run));
    const std::string metric(task_row(task_of(config)).metric);
    for (const char* split : {"valid", "test"}) {
      const PreparedSplit& files = split == std::string("valid") ? data.valid : data.test;
      if (!files.there()) continue;
      const Evaluation evaluation =
          evaluate(model, *task, files, config, metric.empty() ? std::vector<std::string>{} : std::vector{metric});
      result[split]["loss"] = evaluation.losses.loss;
      for (const auto& [name, value] : evaluation.numbers) result[split][name] = value;
    }
  }
  write_whole(file, to_json_line(result));
  return result;
}

std::string interval(const probe::Summary& s) {
  return s.count > 1 ? fmt::format("{:.2f} .. {:.2f}", s.low, s.high) : "-";
}

}  // namespace

int finetune_command(int argc, char** argv) {
  FinetuneRequest request;
  request.command = as_typed(argc, argv);
  CLI::App app;
  app.add_option("config", request.config, "the task to fine-tune for")->required();
  app.add_option("--from", request.from, "the pre-trained run")->required();
  app.add_option("--seeds", request.seeds, "runs of each setting")->capture_default_str()->check(CLI::Range(1, 10000));
  app.add_option("--grid", request.grid, "key=a,b,c: try each value, with those of every other --grid");
  app.add_option("--checkpoints", request.checkpoints, "best, last, all, or updates: 1000,2000")->capture_default_str();
  app.add_option("--out", request.out, "where the runs go; those that are there are not made again")
      ->capture_default_str();
  app.add_option("--set", request.overrides, "key=value; may be repeated")->allow_extra_args(false);
  app.add_flag("--json", request.json, "for programs");
  if (!parse_arguments(app, argc, argv)) return 0;

  std::vector<GridPoint> arms;
  for (const std::string& checkpoint : checkpoints_of(request)) {
    for (const Settings& settings : grid_points(request.grid)) arms.push_back({checkpoint, settings});
  }
  Settings first = request.overrides;
  first.push_back(fmt::format("train.pretrained={}", request.from));
  const std::string metric(task_row(task_of(load_config(request.config, first))).metric);
  const std::string number = metric.empty() ? "loss" : metric;
  nlohmann::json all = nlohmann::json::array();
  double baseline = 0;
  try {
    for (GridPoint& arm : arms) {
      for (int64_t seed = 1; seed <= request.seeds; ++seed) {
        fmt::print(stderr, "plumb: checkpoint {}, {}, seed {} of {}\n", arm.checkpoint, joined_words(arm.settings),
                   seed, request.seeds);
        const nlohmann::json result = result_of(request, arm, seed);
        if (parse_outcome(result.at("outcome").get<std::string>()) != RunOutcome::Finished) ++arm.failed;
        if (result.contains("valid")) {
          arm.scores.push_back(number_of_json(result["valid"].at(number)));
          baseline = result["valid"].value(number + ".majority", 0.0);
        }
        all.push_back(result);
      }
    }
  } catch (const FinetuneInterrupted& interrupted) {
    return 128 + interrupted.signal;
  }
  if (request.json) {
    print(to_json_line(all));
    return 0;
  }
  const auto right = Table::Align::Right;
  Table table({{"checkpoint"},
               {"setting"},
               {"seeds", right},
               {number, right},
               {"95 % interval", right},
               {"deviation", right},
               {"failed", right}});
  for (const GridPoint& arm : arms) {
    const probe::Summary s = probe::summarise(arm.scores);
    table.add_row({arm.checkpoint, joined_words(arm.settings), std::to_string(arm.scores.size()),
                   fmt::format("{:.2f}", s.mean), interval(s), fmt::format("{:.2f}", s.deviation),
                   std::to_string(arm.failed)});
  }
  print(table.to_string());
  if (baseline > 0) print(fmt::format("\nWho always says the most frequent label has {:.2f}.\n", baseline));
  return 0;
}

}  // namespace plumb
