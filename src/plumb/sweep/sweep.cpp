#include "plumb/sweep/sweep.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/sha256.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/load.h"
#include "plumb/config/presets.h"

namespace plumb::sweep {
namespace {

constexpr size_t kLongestFolder = 120;

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

// "admin lr=0.001 betas=[0.9, 0.98]" becomes "admin_lr=0.001_betas=0.9,0.98": nothing that a shell or a disk minds.
// Other alphabets would all look alike.
std::string folder_name(const std::string& name) {
  std::string folder;
  bool foreign = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool after_comma = i > 0 && name[i - 1] == ',';
    if (c == '[' || c == ']' || c == '"' || (c == ' ' && after_comma)) continue;
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("._=+-,").find(c) != std::string::npos;
    foreign = foreign || static_cast<unsigned char>(c) >= 0x80;
    folder += plain ? c : '_';
  }
  if (foreign || folder.size() > kLongestFolder) {
    folder = folder.substr(0, kLongestFolder) + "-" + sha256_hex(name).substr(0, 8);
  }
  return folder;
}

Arm make_arm(const Sweep& sweep, const ListedArm& listed, const std::vector<std::string>& point) {
  Arm arm{.name = listed.name, .listed = listed.name, .point = point, .overrides = listed.overrides, .folder = {}};
  for (size_t i = 0; i < point.size(); ++i) {
    const std::string& key = sweep.grid[i].key;
    arm.name += fmt::format("{}{}={}", arm.name.empty() ? "" : " ", short_key(sweep, key), plain_value(point[i]));
    arm.overrides.push_back(key + "=" + point[i]);
  }
  if (arm.name.empty()) arm.name = "run";  // neither arms nor grid: seeds only
  arm.folder = folder_name(arm.name);
  return arm;
}

}  // namespace

std::string place_of(const Sweep& sweep) {
  return sweep.file.empty() ? "sweep " + sweep.name : sweep.file.string();
}

std::vector<Arm> arms_of(const Sweep& sweep) {
  std::vector<std::vector<std::string>> points = {{}};
  for (const Axis& axis : sweep.grid) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  const std::vector<ListedArm> alone = {{}};
  std::vector<Arm> arms;
  for (const ListedArm& listed : sweep.arms.empty() ? alone : sweep.arms) {
    for (const auto& point : points) arms.push_back(make_arm(sweep, listed, point));
  }
  return arms;
}

std::vector<Run> runs_of(const Sweep& sweep, const std::vector<Arm>& arms) {
  std::vector<Run> runs;
  for (const int64_t seed : sweep.seeds) {
    for (size_t arm = 0; arm < arms.size(); ++arm) {
      runs.push_back({arm, seed, arms[arm].folder / fmt::format("seed{}", seed)});
    }
  }
  return runs;
}

std::vector<Override> overrides_of(const Sweep& sweep, const Arm& arm, int64_t seed) {
  std::vector<Override> all = sweep.set;
  all.insert(all.end(), arm.overrides.begin(), arm.overrides.end());
  all.push_back(fmt::format("threads={}", sweep.threads));
  all.push_back(fmt::format("seed={}", seed));
  return all;
}

Config config_of(const Sweep& sweep, const Arm& arm) {
  const std::vector<Override> overrides = overrides_of(sweep, arm, sweep.seeds.front());
  try {
    const Config config = load_config(sweep.config, overrides);
    if (config.train.max_update > 0 || config.train.max_epoch > 0) return config;
    throw UserError("train.max_update", "the run would never end", "Set it, or train.max_epoch");
  } catch (const Error& error) {
    std::string_view what = error.what();
    if (what.starts_with("--set ")) what.remove_prefix(6);  // it stands in the file: nobody typed that
    throw Error(error.exit_code(), fmt::format("{}, arm {}: {}", place_of(sweep), arm.name, what));
  }
}

std::string metric_name(const std::string& metric) {
  return metric.starts_with("last.") || metric.starts_with("test.") ? metric.substr(5) : metric;
}

std::string scorer_of(const std::string& name) {
  return name.substr(0, name.find('.'));
}

std::string test_metric_of(const Sweep& sweep, const Config& config) {
  if (!sweep.test) return "";
  return sweep.test_metric.empty() ? std::string(task_row(task_of(config)).metric) : sweep.test_metric;
}

std::vector<std::string> heat_map_keys(const Sweep& sweep) {
  if (!sweep.heatmap.empty()) return sweep.heatmap;
  std::vector<std::string> several, numeric;
  for (const Axis& axis : sweep.grid) {
    if (axis.values.size() < 2) continue;
    several.push_back(axis.key);
    if (std::ranges::none_of(axis.values, [](const std::string& value) { return value.starts_with('"'); })) {
      numeric.push_back(axis.key);
    }
  }
  std::vector<std::string>& chosen = numeric.size() >= 2 ? numeric : several;
  if (chosen.size() < 2) return {};
  chosen.resize(2);
  return chosen;
}

std::string plain_value(const std::string& toml) {
  const bool word = toml.size() >= 2 && toml.front() == '"' && toml.back() == '"';
  return word ? toml.substr(1, toml.size() - 2) : toml;
}

std::string short_key(const Sweep& sweep, const std::string& key) {
  const auto same =
      std::ranges::count_if(sweep.grid, [&](const Axis& axis) { return last_part(axis.key) == last_part(key); });
  return same > 1 ? key : last_part(key);
}

std::string counted(size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace plumb::sweep
