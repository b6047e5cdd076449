#include "plumb/train/start_weights.h"

#include <filesystem>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/config/presets.h"
#include "plumb/store/weights_file.h"
#include "plumb/train/step.h"

namespace plumb {
namespace {

// What a new task brings a new one of.
bool belongs_to_a_head(const std::string& name) {
  for (const char* part :
       {".lm_head.", ".output_projection.", ".adaptive_softmax.", ".pooler.", ".classifier.", ".next_sentence."}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

// The checkpoint that train.pretrained names.
std::filesystem::path pretrained_weights(const std::string& text) {
  const PretrainedRun run = pretrained_run(text);
  return Checkpoints(run.folder).model_file(Checkpoints(run.folder).chosen(run.checkpoint));
}

std::vector<std::string> load_pretrained(ParameterStore& parameters, const std::string& run) {
  const std::filesystem::path file = pretrained_weights(run);
  const Unmatched unmatched = load_matching_weights(parameters, file);
  for (const std::string& name : unmatched.unused) {
    if (belongs_to_a_head(name)) continue;
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
    load_weights(model.parameters(), config.train.restore_file);
    return {};
  }
  if (!config.train.pretrained.empty()) return load_pretrained(model.parameters(), config.train.pretrained);
  model.profile(batches.peek().inputs, training_pass(config, 0));
  return {};
}

}  // namespace plumb
