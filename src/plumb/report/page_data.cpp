#include "plumb/report/page_data.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <fstream>
#include <future>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "plumb/base/cores.h"
#include "plumb/base/json_depth.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/version.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/report/probe_data.h"
#include "plumb/report/run_data.h"
#include "plumb/runs/outcome.h"
#include "plumb/runs/run_log.h"

namespace plumb::report {
namespace {

using nlohmann::json;

/// A member of an object: null if there is none, or nothing to have one.
const json& member(const json& value, const char* key) {
  static const json kNone;
  if (!value.is_object()) return kNone;
  const auto found = value.find(key);
  return found == value.end() ? kNone : *found;
}

/// What the table of arms says of their runs. Everything else of them is on the page as themselves.
json runs_in_short(const json& runs) {
  json result = json::array();
  if (!runs.is_array()) return result;
  for (const json& run : runs) {
    const json& summary = member(run, "summary");
    json kept = {{"arm", member(run, "arm")}, {"seed", member(run, "seed")}, {"outcome", member(run, "outcome")}};
    if (kept["outcome"].is_string()) kept["outcome"] = outcome_word(kept["outcome"].get<std::string>());
    const auto keep = [&](const char* key, const json& value) {
      if (!value.is_null()) kept[key] = value;
    };
    keep("unigram_share", member(summary, "unigram_share"));
    keep("seconds", member(summary, "seconds"));
    keep("tokens_per_second", member(summary, "tokens_per_second"));
    if (member(run, "value").is_null()) keep("failed_at", member(member(summary, "failure"), "update"));
    keep("error", member(run, "error"));
    result.push_back(std::move(kept));
  }
  return result;
}

/// sweep.json of an older version says `trained` for an outcome and for how many have it.
json outcomes_of_today(const json& outcomes) {
  json result = json::object();
  for (const auto& [word, count] : outcomes.items()) result[std::string(outcome_word(word))] = count;
  return result;
}

void use_words_of_today(json& arms) {
  for (json& arm : arms) {
    if (!arm.is_object()) continue;
    if (arm.contains("trained") && !arm.contains("finished")) arm["finished"] = arm["trained"];
    arm.erase("trained");
    if (member(arm, "outcomes").is_object()) arm["outcomes"] = outcomes_of_today(arm["outcomes"]);
  }
}

bool is_sweep(const json& content) {
  return !content.is_discarded() && member(content, "arms").is_array() && member(content, "grid").is_array() &&
         !deeper_than(content, kDeepestJson);
}

json sweep_data(const NamedFolder& sweep) {
  std::ifstream in;
  if (!cannot_be_read(sweep.folder / kSweepResultsFile)) in.open(sweep.folder / kSweepResultsFile, std::ios::binary);
  json content = json::parse(in, nullptr, /*allow_exceptions=*/false);
  json data = {{"name", sweep.name}, {"folder", sweep.folder.string()}};
  if (is_sweep(content)) {
    content["runs"] = runs_in_short(member(content, "runs"));
    use_words_of_today(content["arms"]);
    data["sweep"] = std::move(content);
  } else {
    data["problems"] = {"sweep.json cannot be read."};
  }
  return data;
}

json metrics_where_more_is_better() {
  json names = json::array();
  for (const MetricRow& row : metrics()) {
    if (row.better == MetricRow::Better::Higher) names.push_back(row.name);
  }
  return names;
}

std::string now_in_words() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(now));
}

/// Of every run, as many at a time as there are cores: to parse a log of 10,000 records takes a tenth of a second.
json read_runs(const std::vector<NamedFolder>& folders, ReadRuns& before) {
  const PageBudget budget = budget_for(folders.size());
  std::vector<ReadRuns::Run> read(folders.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < folders.size(); i = next++) {
      // A page of many runs shows less of each, so their number is part of the state.
      std::string state = fmt::format("{} {} {}", folders[i].name, budget.gradient_cells, state_of(folders[i]));
      const auto known = before.by_folder.find(folders[i].folder.string());
      if (known != before.by_folder.end() && known->second.state == state) {
        read[i] = known->second;
      } else {
        read[i] = {std::move(state), run_data(folders[i].folder, folders[i].name, budget)};
      }
    }
  };
  std::vector<std::future<void>> workers;
  const auto cores = static_cast<size_t>(usable_cores());
  for (size_t i = 1; i < std::min(cores, folders.size()); ++i) workers.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void>& worker : workers) worker.get();
  json runs = json::array();
  before.by_folder.clear();
  for (size_t i = 0; i < folders.size(); ++i) {
    runs.push_back(read[i].data);
    before.by_folder[folders[i].folder.string()] = std::move(read[i]);
  }
  return runs;
}

}  // namespace

std::string state_of(const NamedFolder& folder) {
  std::string state = folder.folder.string();
  for (const char* name : {kLogFile, kConfigFile, kProbeFile, kSweepResultsFile}) {
    struct stat file {};
    if (::stat((folder.folder / name).c_str(), &file) != 0) continue;
    state += fmt::format(" {}:{}:{}.{:09}", name, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
  }
  return state + '\n';
}

json page_data(const ShownFolders& folders, ReadRuns* before) {
  ReadRuns none;
  json runs = read_runs(folders.runs, before ? *before : none), probes = json::array(), sweeps = json::array();
  for (const NamedFolder& probe : folders.probes) probes.push_back(probe_data(probe.folder, probe.name));
  for (const NamedFolder& sweep : folders.sweeps) sweeps.push_back(sweep_data(sweep));
  return {{"version", 1},
          {"plumb", full_version()},
          {"made", now_in_words()},
          {"runs", std::move(runs)},
          {"probes", std::move(probes)},
          {"sweeps", std::move(sweeps)},
          {"catalogue", probe_catalogue()},
          {"higher_is_better", metrics_where_more_is_better()}};
}

std::string to_script_json(const json& data) {
  const std::string line = to_json_line(data);
  std::string safe;
  safe.reserve(line.size() + line.size() / 64);
  for (size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = std::string_view(line).substr(i);
    // These stand only inside strings: the grammar of JSON has none of them.
    if (line[i] == '<' || line[i] == '>' || line[i] == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned char>(line[i]));
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      safe += line[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += line[i];
    }
  }
  return safe;
}

}  // namespace plumb::report
