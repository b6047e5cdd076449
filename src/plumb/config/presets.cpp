#include "plumb/config/presets.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/assign.h"
#include "plumb/config/field_text.h"
#include "plumb/config/fields.h"
#include "plumb/config/toml_reader.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// What the new task decides, not the run that it starts from.
constexpr std::string_view kOfTheTask[] = {
    "model.form",          "model.head",         "model.input",   "model.classes",           "model.next_sentence",
    "model.source_vocab",  "model.target_vocab", "model.dropout", "model.attention_dropout", "model.activation_dropout",
    "model.pooler_dropout"};
constexpr std::string_view kOfTheText[] = {"data.subwords", "data.lowercase"};

bool is_taken(const std::string& key) {
  const bool model = key.starts_with("model.") && std::ranges::find(kOfTheTask, key) == std::end(kOfTheTask);
  return model || std::ranges::find(kOfTheText, key) != std::end(kOfTheText);
}

template <class Value>
void preset(Value& value, Value wanted, std::string_view key, const TaskRow& row, const Sources& sources) {
  if (sources.has(key) && value != wanted) {
    throw UserError(sources.where(sources.latest({key, "task"})),
                    fmt::format("the task {} needs {} = {}", row.name, key, toml_text(wanted)),
                    fmt::format("Leave {} out, or choose another task", key));
  }
  value = wanted;
}

}  // namespace

PretrainedRun pretrained_run(const std::string& text) {
  const size_t at = text.rfind('@');
  if (at == std::string::npos) return {text};
  return {text.substr(0, at), text.substr(at + 1)};
}

void apply_task(Config& config, const Sources& sources) {
  if (!config.task) return;
  const TaskRow& row = task_row(*config.task);
  preset(config.model.form, row.form, "model.form", row, sources);
  preset(config.model.head, row.head, "model.head", row, sources);
  preset(config.model.input, row.input, "model.input", row, sources);
  if (row.input == InputKind::Frames) {
    preset(config.model.frame_width, static_cast<int>(config.speech.mel_bins), "model.frame_width", row, sources);
  }
  const bool has_segments = sources.has("model.segments") || !config.train.pretrained.empty();
  if (!has_segments) config.model.segments = row.segments;
  if (!sources.has("data.corpus")) config.data.corpus = row.built_in;
}

void apply_pretrained(Config& config, const Sources& sources) {
  if (config.train.pretrained.empty()) return;
  // A run keeps its whole config: it must load when the run that it started from is gone.
  bool complete = true;
  for_each_field(config, [&](const std::string& key, const auto&, std::string_view) {
    complete = complete && (!is_taken(key) || sources.has(key));
  });
  if (complete) return;
  const fs::path file = fs::path(pretrained_run(config.train.pretrained).folder) / kConfigFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    throw UserError(sources.where("train.pretrained"), fmt::format("{} is not a run", config.train.pretrained),
                    "Name a run directory that `plumb train` wrote");
  }
  for (const Setting& setting : read_toml(file, sources.where("train.pretrained")).settings) {
    if (is_taken(setting.key) && !sources.has(setting.key)) assign(config, setting);
  }
}

TaskKind task_of(const Config& config) {
  return config.task.value_or(usual_task(config.model.form));
}

}  // namespace plumb
