#include "plumb/train/start_weights.h"

#include <filesystem>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/file_content.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/checkpoint/load_model.h"
#include "plumb/checkpoint/run_weights.h"
#include "plumb/config/from_toml.h"
#include "plumb/config/presets.h"
#include "plumb/train/step.h"

namespace plumb {
namespace {

// Whether the parameter is part of the model's head, of which a new task brings a new one.
bool is_in_head(const ParameterStore& parameters, const std::string& name) {
  return parameters.has(name) && parameters.entry(name).spec.place.role == ParameterRole::Head;
}

std::vector<std::string> load_pretrained(ParameterStore& parameters, const PretrainedRun& run) {
  const std::filesystem::path config_file = std::filesystem::path(run.folder) / kConfigFile;
  const std::string text = file_content(config_file);
  if (text.empty()) throw UserError(run.folder, "is not a run", "Name a run directory that `plumb train` wrote");
  const Config config = from_toml(text, config_file.string());
  const std::filesystem::path file = RunWeights(run.folder, config, {.which = run.checkpoint}).files().front();
  const Unmatched unmatched = load_matching_model(parameters, file);
  if (unmatched.unused.empty()) return unmatched.missing;
  // The new model does not know these parameters. The model they come from does; only declared, it takes no memory.
  const Transformer pretrained(config.model);
  for (const std::string& name : unmatched.unused) {
    if (is_in_head(pretrained.parameters(), name)) continue;
    throw UserError(file.string(), fmt::format("has the parameter {}, which is not part of this model", name),
                    "Leave the keys of [model] to the pre-trained run");
  }
  return unmatched.missing;
}

}  // namespace

// Weights that come from elsewhere have been measured and trained already: profiling would overwrite some of them.
std::optional<std::vector<std::string>> set_start_weights(Transformer& model, const Config& config,
                                                          BatchCursor& batches) {
  if (!config.train.restore_file.empty()) {
    load_model(model.parameters(), config.train.restore_file);
    return {};
  }
  if (!config.train.pretrained.empty()) {
    return load_pretrained(model.parameters(), pretrained_run(config.train.pretrained));
  }
  model.profile(batches.peek().inputs.to(model.where()), training_pass(config, 0, model.where()));
  return {};
}

}  // namespace plumb
