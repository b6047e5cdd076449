#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/assign.h"
#include "plumb/config/difference.h"
#include "plumb/config/presets.h"
#include "plumb/config/suggestion.h"
#include "plumb/config/toml_reader.h"
#include "plumb/metric/measure.h"
#include "plumb/runs/record_json.h"
#include "plumb/sweep/sweep.h"

namespace plumb::sweep {
namespace {

std::string overridden_key(const Override& one) {
  return one.substr(0, one.find('='));
}

// The value as its field holds it: 1 and 1.0 are one learning rate. Empty: what the field holds anyway.
std::string held_value(const std::string& key, const std::string& value) {
  Config config;
  assign(config, parse_override(key + "=" + value));
  const std::vector<Difference> changes = differences(Config{}, config);
  return changes.empty() ? "" : changes.front().after;
}

void check_values(const Sweep& sweep) {
  for (const Axis& axis : sweep.grid) {
    std::set<std::string> different;
    for (const std::string& value : axis.values) different.insert(held_value(axis.key, value));
    if (axis.values.empty())
      throw UserError(place_of(sweep), fmt::format("the grid has no values of {}", axis.key), "Give some");
    if (different.size() < axis.values.size()) {
      throw UserError(place_of(sweep), fmt::format("the grid has a value of {} twice", axis.key),
                      "Name each value once");
    }
  }
  if (sweep.seeds.empty()) throw UserError(place_of(sweep), "there are no seeds", "Write seeds = 3, or a list of them");
  if (std::set<int64_t>(sweep.seeds.begin(), sweep.seeds.end()).size() < sweep.seeds.size()) {
    throw UserError(place_of(sweep), "a seed is there twice", "Name each seed once");
  }
}

// A key that is set in two of these places would silently lose one of its values.
void check_keys(const Sweep& sweep) {
  std::set<std::string> grid;
  for (const Axis& axis : sweep.grid) grid.insert(axis.key);
  const auto check = [&](const Override& one, const std::string& place) {
    const std::string key = overridden_key(one);
    if (key == "seed" || key == "threads") {
      throw UserError(
          place_of(sweep), fmt::format("{} sets {}", place, key),
          key == "seed" ? "Write seeds = [1, 2, 3] above the tables" : "Write threads = 1 above the tables");
    }
    if (grid.contains(key)) {
      throw UserError(place_of(sweep), fmt::format("{} sets {}, which the grid varies", place, key),
                      "Leave one of them out");
    }
  };
  for (const Override& one : sweep.set) check(one, "[set]");
  for (const ListedArm& arm : sweep.arms) {
    for (const Override& one : arm.overrides) check(one, "arm " + arm.name);
  }
  for (const std::string key : {"seed", "threads"}) {
    if (grid.contains(key)) {
      throw UserError(place_of(sweep), fmt::format("the grid varies {}", key),
                      fmt::format("Write {} above the tables", key == "seed" ? "seeds = 3" : "threads = 1"));
    }
  }
}

void check_names(const Sweep& sweep, const std::vector<Arm>& arms) {
  std::set<std::string> folders;
  for (const Arm& arm : arms) {
    const std::string folder = arm.folder.string();
    if (std::ranges::any_of(arm.name, [](unsigned char c) { return std::iscntrl(c) != 0; })) {
      throw UserError(place_of(sweep), fmt::format("the name of the arm {} cannot be shown", folder),
                      "Use letters, digits and spaces");
    }
    if (folder.empty() || folder.starts_with('.')) {
      throw UserError(place_of(sweep), fmt::format("an arm is called {}", arm.name), "Begin its name with a letter");
    }
    if (folder.starts_with("sweep.") || folder == "data.json") {
      throw UserError(place_of(sweep), fmt::format("an arm is called {}", arm.name),
                      "A file of the sweep is called so: choose another name");
    }
    if (!folders.insert(folder).second) {
      throw UserError(place_of(sweep), fmt::format("two arms are called {}", folder), "Give each a name of its own");
    }
  }
}

void check_baseline(const Sweep& sweep, const std::vector<Arm>& arms) {
  if (sweep.baseline.empty()) return;
  std::vector<std::string_view> names;
  for (const Arm& arm : arms) {
    names.push_back(arm.name);
    if (!arm.listed.empty()) names.push_back(arm.listed);
  }
  if (std::ranges::find(names, sweep.baseline) != names.end()) return;
  throw UserError(place_of(sweep) + " baseline", fmt::format("there is no arm {}", sweep.baseline),
                  did_you_mean(sweep.baseline, names) + "--dry-run shows every name");
}

void check_heatmap(const Sweep& sweep) {
  if (sweep.heatmap.empty()) return;
  std::vector<std::string_view> keys;
  for (const Axis& axis : sweep.grid) keys.push_back(axis.key);
  if (sweep.heatmap.size() != 2 || sweep.heatmap[0] == sweep.heatmap[1]) {
    throw UserError(place_of(sweep) + " heatmap", "wants two keys of the grid",
                    "Write heatmap = [\"optim.lr\", \"schedule.warmup_updates\"]");
  }
  for (const std::string& key : sweep.heatmap) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    throw UserError(place_of(sweep) + " heatmap", fmt::format("the grid has no {}", key),
                    did_you_mean(key, keys) + "Name two keys of [grid]");
  }
}

void check_average(const Sweep& sweep, const Config& config) {
  if (sweep.test_average == 1) return;
  const std::string place = place_of(sweep) + " average";
  if (sweep.test_average < 1) throw UserError(place, fmt::format("cannot be {}", sweep.test_average), "Use 1 or more");
  if (!sweep.test) throw UserError(place, "goes with test", "Write test = true, or leave it out");
  const int64_t kept = config.train.keep_last;
  if (kept == 0 || kept >= sweep.test_average) return;
  throw UserError(place, fmt::format("{} checkpoints are asked for, and a run keeps {}", sweep.test_average, kept),
                  fmt::format("Set train.keep_last = {}", sweep.test_average));
}

void check_test(const Sweep& sweep, const Config& config) {
  if (sweep.test_metric.empty()) return;
  std::vector<std::string_view> names;
  for (const MetricRow& row : metrics()) names.push_back(row.name);
  if (!find_metric(sweep.test_metric)) {
    throw UserError(place_of(sweep) + " test", fmt::format("there is no metric {}", sweep.test_metric),
                    did_you_mean(sweep.test_metric, names) + "`plumb list metrics` shows every name");
  }
  const TaskRow& task = task_row(task_of(config));
  if (task.metric.empty()) {
    throw UserError(place_of(sweep) + " test", fmt::format("the task {} has no outputs to score", task.name),
                    "Write test = true: the loss is its measure");
  }
}

// What a run is measured by: validations have the score alone, a test also what it is made of (rouge.rouge1).
std::vector<std::string> numbers_of(const Config& config, const std::string& scored, bool test) {
  std::vector<std::string> names;
  for (const auto number : {&ValidRecord::loss, &ValidRecord::nll, &ValidRecord::ppl})
    names.emplace_back(key_of(number));
  for (const std::string_view own : task_row(task_of(config)).numbers) names.emplace_back(own);
  if (scored.empty()) return names;
  names.push_back(scored);
  if (!test) return names;
  const std::vector<std::string> nothing(1);
  const std::vector<std::vector<std::string>> references(1, nothing);
  for (const auto& [part, value] : corpus_score(make_measure(scored), nothing, references).parts) {
    names.push_back(scored + "." + part);
  }
  return names;
}

// A number that nothing computes would make every run a failure at the end of hours.
void check_metric(const Sweep& sweep, const Config& config) {
  const bool test = sweep.metric.starts_with("test.");
  const std::string place = place_of(sweep) + " metric", name = metric_name(sweep.metric);
  if (test && !sweep.test) throw UserError(place, "nothing is evaluated on the test set", "Write test = true");
  const std::string scored = test ? test_metric_of(sweep, config) : config.train.validate_metric;
  const MetricRow* row = find_metric(scorer_of(name));
  if (row && scored != row->name) {
    if (!test) {
      throw UserError(place, fmt::format("validations do not compute {}", row->name),
                      fmt::format("Set train.validate_metric = \"{}\"", row->name));
    }
    throw UserError(place, fmt::format("the test set is scored with {}", scored.empty() ? "the loss alone" : scored),
                    fmt::format("Write test = \"{}\"", row->name));
  }
  const std::vector<std::string> numbers = numbers_of(config, scored, test);
  if (std::ranges::find(numbers, name) != numbers.end()) return;
  std::vector<std::string_view> names(numbers.begin(), numbers.end());
  for (const MetricRow& other : metrics()) names.push_back(other.name);
  throw UserError(
      place,
      fmt::format("{} have no number {}", test ? "tests" : "validations", name.empty() ? "without a name" : name),
      did_you_mean(name, names) + fmt::format("There are {}", fmt::join(numbers, ", ")));
}

}  // namespace

void check_sweep(const Sweep& sweep) {
  if (sweep.config.empty())
    throw UserError(place_of(sweep), "names no config", "Write config = \"...\" above the tables");
  check_values(sweep);
  check_keys(sweep);
  const std::vector<Arm> arms = arms_of(sweep);
  check_names(sweep, arms);
  check_baseline(sweep, arms);
  check_heatmap(sweep);
  for (const Arm& arm : arms) {
    const Config config = config_of(sweep, arm);
    check_test(sweep, config);
    check_average(sweep, config);
    check_metric(sweep, config);
  }
}

}  // namespace plumb::sweep
