#include "plumb/config/difference.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "plumb/catalogue/schedules.h"
#include "plumb/config/field_text.h"
#include "plumb/config/fields.h"

namespace plumb {
namespace {

// Not among them: what makes a run diverged or stuck, which is part of its result, and what it started from
// (restore_file, model.init), which a resumed run can no longer honour.
constexpr std::string_view kWhenAndWhere[] = {
    "train.max_epoch",       "train.log_interval", "train.gradient_interval", "train.validate_interval",
    "train.validate_metric", "train.patience",     "train.save_interval",     "train.keep_last",
    "train.tensorboard",     "data.cache",         "data.test_source",        "data.test_target"};

// Validation translates greedily, whatever these say.
constexpr std::string_view kOfGenerateAlone[] = {"generate.beam", "generate.nbest", "generate.average"};

// Of [model]: what acts in training alone.
constexpr std::string_view kOfTrainingAlone[] = {
    "model.init",           "model.init_multipliers",  "model.init_truncated",     "model.dropout",
    "model.pooler_dropout", "model.attention_dropout", "model.activation_dropout", "model.adaptive_dropout"};

// How text and audio become what the model reads.
constexpr std::string_view kOfInputs[] = {"task",
                                          "data.lowercase",
                                          "data.subwords",
                                          "speech.sample_rate",
                                          "speech.mel_bins",
                                          "speech.source_rate",
                                          "speech.normalise"};

bool is_in(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

// The update at which the learning rate's course ends, or 0 if it has no end.
int64_t end_of_schedule(const Config& config) {
  const ScheduleRow* row = find_schedule(config.schedule.name);
  if (!row || !row->ends) return 0;
  return config.schedule.total_updates != 0 ? config.schedule.total_updates : config.train.max_update;
}

}  // namespace

std::string Difference::in_words() const {
  return fmt::format("{} was {}, is {}", key, before, after);
}

std::vector<Difference> differences(const Config& before, const Config& after) {
  std::vector<Difference> all;
  for_each_field(before, [&](const std::string& key, const auto& field, std::string_view) {
    all.push_back({key, toml_text(field), {}});
  });
  size_t i = 0;
  for_each_field(after,
                 [&](const std::string&, const auto& field, std::string_view) { all[i++].after = toml_text(field); });
  // Values that are equal have the same text and others do not: to_toml() reads back equal.
  std::erase_if(all, [](const Difference& one) { return one.before == one.after; });
  return all;
}

bool decides_outputs(const std::string& key) {
  return key.starts_with("model.") ? !is_in(kOfTrainingAlone, key) : is_in(kOfInputs, key);
}

bool may_change_on_resume(const std::string& key, const Config& before, const Config& after, bool same_data) {
  if (is_in(kWhenAndWhere, key) || key.starts_with("probe.")) return true;
  // The bits of the fused path do not depend on it; those of LibTorch's kernels do.
  if (key == "threads") return before.ops == Path::Fused && after.ops == Path::Fused;
  // To go on for longer is what most runs are resumed for. Where the learning rate falls towards the last update, that
  // would bend its course after the fact, unless total_updates holds the end where it was.
  if (key == "train.max_update" || key == "schedule.total_updates") {
    return end_of_schedule(before) == end_of_schedule(after);
  }
  if (key.starts_with("generate.")) {
    // one curve of a metric, two meanings
    const bool scored = !before.train.validate_metric.empty() && !after.train.validate_metric.empty();
    return !scored || is_in(kOfGenerateAlone, key);
  }
  return key.starts_with("data.") && key != "data.max_length" && same_data;
}

}  // namespace plumb
