// plumb evaluate RUN [--split test] [--metric NAME]... [--set key=value]...

#include <filesystem>
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
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/checkpoint/run_weights.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/config/load.h"
#include "plumb/config/presets.h"
#include "plumb/config/suggestion.h"
#include "plumb/data/prepare_data.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/ops/path.h"
#include "plumb/train/evaluation.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

const PreparedSplit& chosen_split(const Prepared& data, const std::string& name) {
  const PreparedSplit& split = name == "train" ? data.train : name == "valid" ? data.valid : data.test;
  if (split.there()) return split;
  throw UserError("--split", fmt::format("the data has no {} set", name),
                  "Name its files with --set data.test_source=");
}

void check_metrics(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const MetricRow& row : metrics()) known.push_back(row.name);
  for (const std::string& name : names) {
    if (find_metric(name)) continue;
    throw UserError("--metric", fmt::format("there is no metric {}", name),
                    did_you_mean(name, known) + "`plumb list metrics` shows every name");
  }
}

}  // namespace

int evaluate_command(int argc, char** argv) {
  std::string run, which = "best", split = "test", outputs;
  std::vector<std::string> overrides, metrics;
  std::optional<int64_t> average;
  bool json = false;
  CLI::App app;
  app.add_option("run", run, "run directory written by `plumb train`")->required();
  app.add_option("--split", split, "train, valid or test")
      ->capture_default_str()
      ->check(CLI::IsMember({"train", "valid", "test"}));
  app.add_option("--metric", metrics, "also score the model's outputs; without it the task's own metric, or none");
  const CLI::Option* named =
      app.add_option("--checkpoint", which, "best, last, or the number of an update")->capture_default_str();
  app.add_option("--average", average,
                 "number of last checkpoints whose weights are averaged instead (generate.average)");
  app.add_option("--outputs", outputs, "write the outputs to this file");
  app.add_option("--set", overrides, "key=value; may be repeated")->allow_extra_args(false);
  app.add_flag("--json", json, "for programs");
  if (!parse_arguments(app, argc, argv)) return 0;
  const fs::path file = fs::path(run) / kConfigFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) throw UserError(run, "is not a run directory", "Name one that `plumb train` wrote");
  if (!average && named->count() > 0) average = 1;  // who names one means it, whatever the run's config averages
  if (average) overrides.push_back(fmt::format("generate.average={}", *average));
  Sources sources;
  Config config = load_config(file, overrides, &sources);
  set_threads(config.threads);
  ops::set_path(config.ops);
  const std::string_view usual = task_row(task_of(config)).metric;
  if (metrics.empty() && !usual.empty()) metrics = {std::string(usual)};
  check_metrics(metrics);
  if (usual.empty() && (!metrics.empty() || !outputs.empty())) {
    throw UserError(run, fmt::format("the task {} has no outputs to score", task_row(task_of(config)).name),
                    "Leave out --metric and --outputs; the loss is its measure");
  }
  RunWeights weights(run, config, {which, config.generate.average});
  const RunVocabulary vocabulary = vocabulary_of(run);
  weights.check_vocabulary(vocabulary);
  const Prepared data = prepare_data(file.string(), overrides, config, sources, run);
  Transformer model(config.model, static_cast<uint64_t>(config.seed), where_of(config));
  weights.load(model.parameters());
  const int64_t update = weights.updates().front();
  const std::unique_ptr<Task> task = make_task(config, vocabulary);
  const Evaluation result = evaluate(model, *task, chosen_split(data, split), config, metrics);
  if (!outputs.empty()) {
    std::string text;
    for (const std::string& line : result.outputs) text += line + '\n';
    write_whole(outputs, text);
  }
  std::vector<std::pair<std::string, double>> numbers = {
      {"loss", result.losses.loss}, {"nll", result.losses.nll}, {"ppl", result.losses.perplexity()}};
  numbers.insert(numbers.end(), result.numbers.begin(), result.numbers.end());
  if (json) {
    nlohmann::json record = {{"run", run},
                             {"split", split},
                             {"update", update},
                             {"average", config.generate.average},
                             {"targets", result.losses.targets}};
    for (const auto& [name, value] : numbers) record[name] = value;
    print(to_json_line(record) + '\n');
    return 0;
  }
  const size_t count = weights.updates().size();
  const std::string averaged = count > 1 ? fmt::format(", mean of {} checkpoints", count) : "";
  Table table({{fmt::format("{} at update {}{}", split, update, averaged)}, {"value", Table::Align::Right}});
  table.add_row({"targets", std::to_string(result.losses.targets)});
  for (const auto& [name, value] : numbers) table.add_row({name, fmt::format("{:.4g}", value)});
  print(table.to_string());
  return 0;
}

}  // namespace plumb
