// plumb train CONFIG [--set key=value]... [--out RUN] [--resume] [--dry-run]

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"
#include "plumb/data/prepare_data.h"
#include "plumb/data/sized_by.h"
#include "plumb/memory/fits.h"
#include "plumb/nn/parts.h"
#include "plumb/nn/transformer.h"
#include "plumb/ops/path.h"
#include "plumb/store/weights_file.h"
#include "plumb/train/memory.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

// "12,345,678"
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

std::string parts_table(const std::vector<Part>& parts, int64_t total) {
  Table table({{"part"}, {"parameters", Table::Align::Right}, {"share", Table::Align::Right}});
  const auto row = [&](const std::string& name, int64_t count) {
    const double share = 100.0 * static_cast<double>(count) / static_cast<double>(total);
    table.add_row({name, grouped(count), fmt::format("{:.1f} %", share)});
  };
  for (const Part& part : parts) row(part.name, part.parameters);
  row("total", total);
  return table.to_string();
}

// What stands behind '#' keeps the whole output a config file: `--dry-run > effective.toml` can be trained.
std::string commented(const std::string& text) {
  std::string result = "# ";
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += "# ";
  }
  return result;
}

std::string memory_table(const StepMemory& memory) {
  Table table({{"memory of a step"}, {"MiB", Table::Align::Right}});
  const auto row = [&](const std::string& name, int64_t bytes) {
    table.add_row({name, grouped(std::llround(static_cast<double>(bytes) / (1 << 20)))});
  };
  row("weights", memory.weights);
  row("gradients", memory.gradients);
  row("optimiser", memory.optimiser);
  row("activations", memory.activations);
  row("the program", memory.program);
  row("total", memory.total());
  return table.to_string();
}

// All rows of a batch are real tokens: its longer side has at most max_tokens of them.
std::string step_text(const TrainConfig& train) {
  return fmt::format(
      "an update reads up to {} source and {} target tokens{}; activations assume sentences of {} tokens\n",
      grouped(train.max_tokens * train.update_freq), grouped(train.max_tokens * train.update_freq),
      train.update_freq > 1 ? fmt::format(" in {} batches", train.update_freq) : "", kAssumedLength);
}

void dry_run(const Config& config, bool json) {
  Transformer model(config.model);
  if (!config.train.restore_file.empty()) check_weights(model.parameters(), config.train.restore_file);
  const StepMemory memory = predict_memory(config);
  const std::vector<Part> parts = parameters_by_part(model.parameters());
  const int64_t total = model.parameters().parameter_count();
  if (!json) {
    const std::string tables = parts_table(parts, total) + '\n' + memory_table(memory) + '\n' + step_text(config.train);
    print(to_toml(config) + '\n' + commented(tables));
    return;
  }
  nlohmann::ordered_json by_part;
  for (const Part& part : parts) by_part[part.name] = part.parameters;
  const nlohmann::ordered_json bytes = {{"weights", memory.weights},     {"gradients", memory.gradients},
                                        {"optimiser", memory.optimiser}, {"activations", memory.activations},
                                        {"program", memory.program},     {"total", memory.total()}};
  const nlohmann::ordered_json all = {{"config", to_toml(config)},
                                      {"parameters", total},
                                      {"parts", by_part},
                                      {"memory", bytes},
                                      {"tokens_per_update", config.train.max_tokens * config.train.update_freq}};
  print(all.dump(2) + '\n');
}

std::filesystem::path run_folder(const std::string& out, const std::string& config) {
  if (!out.empty()) return out;
  return std::filesystem::path("runs") / std::filesystem::path(config).stem();
}

/// The run directory while its data is being prepared. It belongs to this process from the first question about it on:
/// otherwise two that ask at the same time both find it empty. One that was made here and got no lock to take goes
/// again.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path run) : run_(std::move(run)) {
    std::error_code ignored;
    made_ = !std::filesystem::exists(run_, ignored);
    make_folder(run_);
    lock_.emplace(run_);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    if (made_ && lock_) std::filesystem::remove(run_, ignored);  // only if it is empty
  }

  std::optional<RunLock> take_lock() { return std::exchange(lock_, std::nullopt); }

 private:
  std::filesystem::path run_;
  bool made_ = false;
  std::optional<RunLock> lock_;
};

int exit_code(const Trainer& trainer, RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::Finished:
      return static_cast<int>(Exit::Done);
    case RunOutcome::Interrupted:
      return 128 + trainer.caught_signal();
    default:
      return static_cast<int>(Exit::DivergedOrStuck);
  }
}

}  // namespace

int train_command(int argc, char** argv) {
  std::string file, out;
  std::vector<std::string> overrides;
  bool dry = false, json = false, resume = false, restart = false, allow_changes = false;
  CLI::App app;
  app.add_option("config", file, "a .toml file; `plumb list config` shows its keys")->required();
  app.add_option("--set", overrides, "key=value, after the file; may be repeated")->allow_extra_args(false);
  app.add_option("--out", out, "the run directory; without it runs/ and the config's name");
  app.add_flag("--resume", resume, "continue from the newest whole checkpoint, if there is one");
  app.add_flag("--restart", restart, "train again from update 0; earlier checkpoints are kept in RUN/checkpoints-1");
  app.add_flag("--allow-changes", allow_changes, "resume although config, corpus or vocabulary changed");
  app.add_flag("--dry-run", dry,
               "print the effective config, parameters by part, memory and tokens of a step, and stop");
  app.add_flag("--json", json, "the dry run for programs");
  const std::string command = as_typed(argc, argv);
  if (!parse_arguments(app, argc, argv)) return 0;
  Sources sources;
  Config config = load_config(file, overrides, &sources);
  set_threads(config.threads);
  ops::set_path(config.ops);
  if (dry) {
    dry_run(sized_before_data(config, sources), json);
    return 0;
  }
  if (config.train.max_update == 0 && config.train.max_epoch == 0) {
    throw UserError(file, "the run would never end", "Set train.max_update or train.max_epoch");
  }
  const std::filesystem::path run = run_folder(out, file);
  if (resume && restart) throw UserError("--restart", "excludes --resume", "Use one of them");
  RunFolder folder(run);
  if (!resume && !restart && !Checkpoints(run).updates().empty()) {
    throw UserError(run.string(), "holds a run already",
                    "Add --resume to continue it, or choose another --out; --restart starts again from update 0");
  }
  // A resumed fine-tuning must not need the run that it started from.
  std::error_code ignored;
  const bool kept =
      resume && !config.train.pretrained.empty() && std::filesystem::exists(run / kVocabularyFolder, ignored);
  const Prepared data = prepare_data(file, overrides, config, sources, kept ? run.string() : "");
  const StepMemory state = predict_state(config);
  memory::check_fits(
      "weights, gradients and optimiser state",
      static_cast<double>(state.weights) + static_cast<double>(state.gradients) + static_cast<double>(state.optimiser),
      "Use a smaller model; --dry-run shows the memory of each part");
  Trainer trainer(config, data, run, std::make_unique<OneWorker>(), folder.take_lock());
  trainer.made_by(command);
  if (resume) trainer.resume(allow_changes);
  if (restart) trainer.restart();
  return exit_code(trainer, trainer.run());
}

}  // namespace plumb
