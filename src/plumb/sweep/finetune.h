#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "plumb/sweep/runner.h"

namespace plumb::sweep {

/// What `plumb finetune` is asked for: a task, learnt from checkpoints of a pre-trained run at every point of a grid,
/// with several seeds.
struct FineTuning {
  std::filesystem::path config;
  std::string from;                  // the pre-trained run
  std::string checkpoints = "best";  // best, last, all, or updates: 1000,2000
  std::vector<std::string> set;      // key=value, for all runs
  std::vector<std::string> grid;     // key=a,b,c
  int64_t seeds = 6;
};

/// One checkpoint with one point of the grid, over its seeds. Unlike an arm of a sweep it has a mean even if runs
/// diverged or got stuck: they count with what their last checkpoint reached.
struct TunedArm {
  std::string checkpoint;
  std::vector<std::string> settings;  // key=value, as typed
  std::vector<double> scores = {};
  int64_t failed = 0;
};

struct FineTuned {
  std::string metric;  // of the task, on the validation set; loss if it has none
  std::vector<TunedArm> arms;
  nlohmann::json runs;  // result.json of every run: by arm, then by seed
  double majority = 0;  // what always saying the most frequent label has; 0: the metric knows none
};

/// Trains what is not there yet in `options.out`, as run_all() does, and evaluates the last checkpoint of every run on
/// the validation and test sets. A folder may hold runs of several calls: each is known by its name. Throws UserError
/// if one of that name has another config or other data, the error of a run that could not be done, or Interrupted.
FineTuned finetune(const FineTuning& wanted, const RunOptions& options);

/// Means with 95 % intervals over the seeds, as a table.
std::string finetune_text(const FineTuned& tuned);

}  // namespace plumb::sweep
