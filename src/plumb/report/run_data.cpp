#include "plumb/report/run_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/file_content.h"
#include "plumb/base/jsonl.h"
#include "plumb/runs/outcome.h"
#include "plumb/runs/reduce.h"
#include "plumb/runs/run_records.h"
#include "plumb/runs/run_summary.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMostSamples = 6;   // validations whose outputs are shown
constexpr size_t kFewSamples = 2;    // of long texts: before there are fewer, lines are cut
constexpr size_t kMostEvents = 100;  // a run that stumbles at every update has thousands
constexpr size_t kMostText = 20000;  // characters of one config, line or command

std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  try {
    return number_of_json(value);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string cut(const std::string& text, size_t most = kMostText) {
  return text.size() <= most ? text : text.substr(0, most) + " ...";
}

// ---- curves ----

// Numbers that say where a record stands, for which the page has `update`; how batches were filled; and of validations
// the part of the loss that the perplexity says as well.
bool is_left_out(const std::string& type, const std::string& key) {
  static const std::set<std::string> kTrain = {"type", "update", "epoch", "tokens", "wpb", "rows", "fill"};
  static const std::set<std::string> kValid = {"type", "update", "epoch", "nll"};
  return (type == "train" ? kTrain : kValid).contains(key);
}

// Later points stand later; where an update was not finite, its interval's mean over the others may stand as well. An
// event and the record of its interval may say of one update that it was not finite: that is one value.
void add_point(Series& series, double update, double value) {
  if (!series.x.empty()) {
    if (update < series.x.back()) return;
    if (update == series.x.back() && (std::isfinite(series.y.back()) || !std::isfinite(value))) return;
  }
  series.x.push_back(update);
  series.y.push_back(value);
}

// The means of train records leave updates out that were not finite: their events say so.
void add_nonfinite(const json& event, std::map<std::string, Series>& train) {
  const auto update = event.at("update").get<double>() + 1;  // it counts from 0, as the step that failed
  const auto add = [&](const char* curve, const char* key) {
    const auto value = event.find(key);
    const std::optional<double> number = value == event.end() ? std::nullopt : number_in(*value);
    if (number && !std::isfinite(*number)) add_point(train[curve], update, *number);
  };
  add("loss", "loss");
  add("nll", "loss");  // an event does not have it: it is lost with the loss
  add("gnorm", "gnorm");
}

/// Every other number of the train and valid records, as "train.loss" or "valid.bleu".
std::map<std::string, Series> curves_of(const std::vector<json>& records) {
  std::map<std::string, std::map<std::string, Series>> by_type;
  for (const json& record : records) {
    const auto& type = record.at("type").get_ref<const std::string&>();
    const auto event = record.find("event");
    if (type == "event" && event != record.end() && *event == "nonfinite") add_nonfinite(record, by_type["train"]);
    if (type != "train" && type != "valid") continue;
    const auto update = record.at("update").get<double>();
    std::map<std::string, Series>& of_type = by_type[type];
    for (const auto& [key, value] : record.items()) {
      if (is_left_out(type, key)) continue;
      const std::optional<double> number = number_in(value);
      if (number) add_point(of_type[key], update, *number);
    }
  }
  std::map<std::string, Series> curves;
  for (auto& [type, of_type] : by_type) {
    for (auto& [key, series] : of_type) curves[type + "." + key] = std::move(series);
  }
  return curves;
}

/// Updates as differences: three characters a point instead of six.
class Differences {
 public:
  void add(double x) {
    list_.push_back(static_cast<int64_t>(x - before_));
    before_ = x;
  }
  json take() { return std::move(list_); }

 private:
  json list_ = json::array();
  double before_ = 0;
};

json as_json(const ReducedSeries& series) {
  Differences dx;
  json y = json::array(), gaps = json::array();
  for (const double x : series.x) dx.add(x);
  for (const double value : series.y) y.push_back(shown(value));
  for (const auto& gap : series.gaps) gaps.push_back({gap.from, gap.to, gap.value, gap.count});
  json result = {{"dx", dx.take()}, {"y", std::move(y)}, {"logged", series.logged}};
  if (!gaps.empty()) result["gaps"] = std::move(gaps);
  return result;
}

json as_json(const std::vector<ReducedSeries::Mean>& means) {
  Differences dx;
  json y = json::array(), counts = json::array();
  for (const auto& mean : means) {
    dx.add(mean.x);
    y.push_back(shown(mean.value));
    counts.push_back(mean.count);
  }
  return {{"dx", dx.take()}, {"y", std::move(y)}, {"counts", std::move(counts)}};
}

/// The curves that the page can smooth. Others go without the means, which are a third of a curve's size.
bool can_be_smoothed(const std::string& curve) {
  static const std::set<std::string> kNoisy = {"train.loss", "train.nll", "train.gnorm", "train.wps"};
  return kNoisy.contains(curve);
}

json reduced_curves(const std::vector<json>& records, const PageBudget& budget) {
  json result = json::object();
  for (const auto& [name, series] : curves_of(records)) {
    // What nobody looks for peaks in: the speed, and the learning rate, which is smooth.
    const bool plain = name == "train.wps" || name == "train.lr";
    const ReducedSeries kept = reduced(series, plain ? budget.points / 3 : budget.points);
    result[name] = as_json(kept);
    if (kept.is_reduced() && can_be_smoothed(name)) result[name]["means"] = as_json(kept.means);
  }
  return result;
}

// ---- gradients per sub-layer ----

// The order of a picture: encoder before decoder, layer 2 before layer 10, and in a layer from below.
std::tuple<bool, std::string, int64_t, int> place_of(const std::string& name) {
  const size_t at = name.find(".layers.");
  if (at == std::string::npos) return {true, name, 0, 0};
  const int within = name.ends_with(".self_attn") ? 0 : name.ends_with(".encoder_attn") ? 1 : 2;
  return {!name.starts_with("encoder"), name.substr(0, at), std::atoll(name.c_str() + at + 8), within};
}

constexpr size_t kLeastColumns = 12, kMostColumns = 160;

/// At most `cells` norms, as long as that leaves enough updates to see anything.
json gradients_of(const std::vector<json>& records, size_t cells) {
  std::vector<const json*> found;
  for (const json& record : records) {
    const auto norms = record.find("norms");
    if (record.at("type") == "gradients" && norms != record.end() && norms->is_object()) found.push_back(&record);
  }
  if (found.empty()) return nullptr;
  std::vector<std::string> names;
  for (const auto& [name, value] : found.back()->at("norms").items()) names.push_back(name);
  std::ranges::stable_sort(names, {}, place_of);
  // Every k-th record and the last: a norm is one update's anyway.
  json updates = json::array(), norms = json::array();
  const size_t columns = std::clamp(cells / std::max<size_t>(1, names.size()), kLeastColumns, kMostColumns);
  const size_t step = (found.size() + columns - 1) / columns;
  for (size_t i = 0; i < found.size(); ++i) {
    if (i % step != 0 && i + 1 != found.size()) continue;
    updates.push_back(found[i]->at("update"));
    json column = json::array();
    for (const std::string& name : names) {
      const auto value = found[i]->at("norms").find(name);
      const std::optional<double> norm = value == found[i]->at("norms").end() ? std::nullopt : number_in(*value);
      column.push_back(norm ? json(shown(*norm)) : json(nullptr));
    }
    norms.push_back(std::move(column));
  }
  return {{"names", names}, {"updates", std::move(updates)}, {"norms", std::move(norms)}, {"logged", found.size()}};
}

// ---- events, samples ----

json event_of(const json& record) {
  json event = {{"update", record.at("update")}};
  for (const char* key : {"event", "outcome", "reason", "tap", "gradient_tap", "parameter"}) {
    const auto value = record.find(key);
    if (value != record.end() && value->is_string()) event[key] = cut(value->get<std::string>());
  }
  if (event.contains("outcome")) event["outcome"] = outcome_word(event["outcome"].get<std::string>());
  return event;
}

/// The first ones and the last: how a run began and how it ended. What lies between is counted.
void add_events(const std::vector<json>& records, json& data) {
  std::vector<const json*> found;
  for (const json& record : records) {
    if (record.at("type") == "event") found.push_back(&record);
  }
  const size_t left_out = found.size() - std::min(found.size(), kMostEvents);
  json& events = data["events"] = json::array();
  for (size_t i = 0; i < found.size(); ++i) {
    if (i < kMostEvents / 2 || i >= kMostEvents / 2 + left_out) events.push_back(event_of(*found[i]));
  }
  if (left_out > 0) data["events_left_out"] = {{"after", kMostEvents / 2}, {"count", left_out}};
}

json lines_in(const json& record, const char* key, size_t longest) {
  json lines = json::array();
  const auto found = record.find(key);
  if (found == record.end() || !found->is_array()) return lines;
  for (const json& line : *found) {
    lines.push_back(line.is_string() ? cut(line.get<std::string>(), longest) : std::string());
  }
  return lines;
}

/// So many of them, spread over the run, the last among them. Sources and references are mostly those of the sample
/// before: they stand only where they are not.
json some_samples(const std::vector<const json*>& found, size_t count, size_t longest) {
  json samples = json::array(), before = json::object();
  for (size_t i = 0; i < count; ++i) {
    const json& record = *found[(i + 1) * found.size() / count - 1];
    json sample = {{"update", record.at("update")}, {"output", lines_in(record, "output", longest)}};
    for (const char* key : {"source", "reference"}) {
      json lines = lines_in(record, key, longest);
      if (lines != before[key]) sample[key] = before[key] = std::move(lines);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

size_t lines_of(const json& samples) {
  size_t lines = 0;
  for (const json& sample : samples) {
    for (const char* key : {"output", "source", "reference"}) lines += sample.value(key, json::array()).size();
  }
  return lines;
}

/// What the validations' outputs were. Long texts are shown of fewer moments, and what is too long even so is cut.
json samples_of(const std::vector<json>& records, size_t most_bytes) {
  std::vector<const json*> found;
  for (const json& record : records) {
    if (record.at("type") == "samples") found.push_back(&record);
  }
  size_t count = std::min(found.size(), kMostSamples);
  json samples = some_samples(found, count, kMostText);
  while (count > kFewSamples && to_json_line(samples).size() > most_bytes) {
    samples = some_samples(found, --count, kMostText);
  }
  if (to_json_line(samples).size() <= most_bytes) return samples;
  return some_samples(found, count, most_bytes / std::max<size_t>(1, lines_of(samples)));
}

std::string command_of(const std::vector<json>& records) {
  for (const json& record : records) {
    const auto command = record.find("command");
    if (command != record.end() && command->is_string()) return cut(command->get<std::string>());
  }
  return "";
}

json problems_of(const fs::path& run, const RunRecords& log, const RunSummary& summary) {
  json problems = json::array();
  std::error_code ignored;
  if (!fs::exists(run / "log.jsonl", ignored)) problems.push_back("There is no log.jsonl: nothing was logged yet.");
  if (cannot_be_read(run / "log.jsonl")) problems.push_back("log.jsonl cannot be opened.");
  if (!fs::exists(run / "config.toml", ignored)) {
    problems.push_back("There is no config.toml: what was trained is not known.");
  } else if (cannot_be_read(run / "config.toml")) {
    problems.push_back("config.toml cannot be opened.");
  } else if (fs::file_size(run / "config.toml", ignored) == 0) {
    problems.push_back("config.toml is empty: what was trained is not known.");
  } else if (!summary.config) {
    problems.push_back("config.toml is not one of this version: its keys are shown as they stand.");
  }
  if (log.damaged_lines > 0) {
    problems.push_back(fmt::format("{} line{} of log.jsonl cannot be read and {} left out.", log.damaged_lines,
                                   log.damaged_lines == 1 ? "" : "s", log.damaged_lines == 1 ? "was" : "were"));
  }
  return problems;
}

}  // namespace

double shown(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr) : value;
}

PageBudget budget_for(size_t runs) {
  PageBudget budget;
  budget.gradient_cells /= std::max<size_t>(1, runs);
  budget.sample_bytes /= std::max<size_t>(1, runs);
  return budget;
}

json run_data(const fs::path& run, const std::string& name, const PageBudget& budget) {
  const RunRecords log = read_run_records(run);
  const RunSummary summary = summarise_run(run, log.records);
  json data = {{"name", name},
               {"folder", run.string()},
               {"summary", to_json(summary)},
               {"curves", reduced_curves(log.records, budget)},
               {"samples", samples_of(log.records, budget.sample_bytes)},
               {"config", cut(file_content(run / "config.toml"))},
               {"command", command_of(log.records)},
               {"problems", problems_of(run, log, summary)}};
  add_events(log.records, data);
  if (json gradients = gradients_of(log.records, budget.gradient_cells); !gradients.is_null()) {
    data["gradients"] = std::move(gradients);
  }
  return data;
}

}  // namespace plumb
