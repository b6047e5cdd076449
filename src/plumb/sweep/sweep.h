#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/config/config.h"

namespace plumb::sweep {

/// `key=value` with the value as TOML, as --set takes it.
using Override = std::string;

/// One key of the grid and the values that it takes, as TOML.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

/// Keys that change together, under a name.
struct ListedArm {
  std::string name;
  std::vector<Override> overrides;
};

/// Many runs that differ in known keys: every listed arm at every point of the grid, with every seed. Batches are a
/// function of (seed, epoch) and first weights of (seed, name), so runs of two arms with the same seed see the same
/// data in the same order and start from the same weights: the seed is what pairs them.
struct Sweep {
  std::string name;
  std::filesystem::path file;    // where it was read, for errors; may be empty
  std::filesystem::path config;  // what all runs have in common
  std::vector<Override> set;     // for all runs
  std::vector<Axis> grid;        // in the order of the file
  std::vector<ListedArm> arms;   // none: only the grid
  std::vector<int64_t> seeds = {1};

  int cores = 0;    // for all runs at a time; 0: all that this process may use
  int threads = 1;  // of one run; 0: all cores, and one run at a time

  /// What runs are compared by: loss, ppl, or a score of the validations, at the validation with the lowest loss;
  /// "last.loss": at the last one; "test.bleu": on the test set.
  std::string metric = "loss";
  std::string baseline;              // an arm that the others are compared with; empty: none
  std::vector<std::string> heatmap;  // two keys of the grid: rows, columns; empty: chosen
  bool test = false;                 // evaluate each finished run on the test set
  std::string test_metric;           // empty: the task's own
  int test_average = 1;              // how many of a run's last checkpoints are averaged for that; 1: its best one
};

/// One setting, over all seeds.
struct Arm {
  std::string name;                 // "admin lr=0.001 betas=[0.9, 0.98]", or that of a listed arm without a grid
  std::string listed;               // the name of its listed arm; empty: none
  std::vector<std::string> point;   // its value on each axis of the grid, as TOML
  std::vector<Override> overrides;  // after Sweep::set
  std::filesystem::path folder;     // below the sweep's: the name, as a folder may be called
};

/// One run of the sweep.
struct Run {
  size_t arm = 0;
  int64_t seed = 1;
  std::filesystem::path folder;  // below the sweep's
};

/// What errors call it: its file, or its name if it comes from none.
std::string place_of(const Sweep& sweep);

/// Listed arms times grid, in the order of the file; the last key of the grid changes fastest.
std::vector<Arm> arms_of(const Sweep& sweep);

/// Seeds change slowest: after the first pass every arm has a result. `arms` are arms_of(sweep).
std::vector<Run> runs_of(const Sweep& sweep, const std::vector<Arm>& arms);

/// Everything that a run of this arm is given with --set, in order.
std::vector<Override> overrides_of(const Sweep& sweep, const Arm& arm, int64_t seed);

/// The config of an arm, with the first seed; a mistake in it is an Error that names the arm.
Config config_of(const Sweep& sweep, const Arm& arm);

/// Sweep::metric without "last." or "test.", and the metric that computes a number: rouge for rouge.rouge1.
std::string metric_name(const std::string& metric);
std::string scorer_of(const std::string& name);

/// The metric that outputs of the test set are scored by; empty: the task has no outputs to score.
std::string test_metric_of(const Sweep& sweep, const Config& config);

/// What cannot work is found before the first run: names that occur twice, configs that do not load or never end, a
/// baseline or a heat map of what does not exist, a metric that no validation will have. Throws UserError.
void check_sweep(const Sweep& sweep);

/// The two keys of the grid that make rows and columns of a heat map: those that the sweep names; else the first two
/// with several values that are numbers, since words have no order; else the first two with several values. Empty:
/// there are none.
std::vector<std::string> heat_map_keys(const Sweep& sweep);

/// The value as people read it: without the quotes of a word.
std::string plain_value(const std::string& toml);

/// What a key is called in names and headers: "lr" for optim.lr, unless another key of the grid ends the same.
std::string short_key(const Sweep& sweep, const std::string& key);

/// "1 seed", "3 seeds".
std::string counted(size_t count, std::string_view thing);

}  // namespace plumb::sweep
