#pragma once

#include "plumb/config/config.h"
#include "plumb/config/sources.h"

namespace plumb {

/// A run that a config builds on: "runs/bert", or "runs/bert@2000" for one checkpoint of it.
struct PretrainedRun {
  std::string folder;
  std::string checkpoint = "best";  // or the number of an update
};
PretrainedRun pretrained_run(const std::string& text);

/// Fills in what `task` says about keys that nobody set: the model's form, input and head, the built-in corpus. Throws
/// UserError if a key was set and does not fit.
void apply_task(Config& config, const Sources& sources);

/// Fills in, from the config of `train.pretrained`, the keys of the model and of its text that nobody set.
void apply_pretrained(Config& config, const Sources& sources);

/// The task of a config, after its presets.
TaskKind task_of(const Config& config);

}  // namespace plumb
