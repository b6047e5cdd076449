#include "plumb/report/run_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/file_content.h"
#include "plumb/base/jsonl.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/report/run_curves.h"
#include "plumb/runs/record_json.h"
#include "plumb/runs/run_log.h"
#include "plumb/runs/run_summary.h"

namespace plumb::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMostSamples = 6;   // validations whose outputs are shown
constexpr size_t kFewSamples = 2;    // of long texts: before there are fewer, lines are cut
constexpr size_t kMostEvents = 100;  // a run that stumbles at every update has thousands
constexpr size_t kMostText = 20000;  // characters of one config, line or command

std::string cut(const std::string& text, size_t most = kMostText) {
  return text.size() <= most ? text : text.substr(0, most) + " ...";
}

// ---- events, samples ----

/// What an event says in words, each text under its key.
template <class Event>
json event_data(const Event& event) {
  json data = {{"event", Event::kEvent}};
  Event::fields(event, [&](std::string_view key, const auto& field, std::string_view) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, std::string>) data[std::string(key)] = cut(field);
    if constexpr (std::is_same_v<Field, int64_t>) data[std::string(key)] = field;
    if constexpr (std::is_same_v<Field, std::optional<RunOutcome>>) {
      if (field) data[std::string(key)] = outcome_name(*field);
    }
  });
  return data;
}

json event_data(const OtherEvent& event) {
  json data = {{"update", event.update}, {"event", cut(event.event)}};
  if (!event.reason.empty()) data["reason"] = cut(event.reason);
  return data;
}

/// The first ones and the last: how a run began and how it ended. What lies between is counted.
void add_events(const RunLog& log, json& data) {
  json events = json::array();
  for (const LogRecord& record : log.records) {
    std::visit(
        [&]<class Record>(const Record& one) {
          if constexpr (IsEvent<Record> || std::is_same_v<Record, OtherEvent>) events.push_back(event_data(one));
        },
        record);
  }
  const size_t left_out = events.size() - std::min(events.size(), kMostEvents);
  json& kept = data["events"] = json::array();
  for (size_t i = 0; i < events.size(); ++i) {
    if (i < kMostEvents / 2 || i >= kMostEvents / 2 + left_out) kept.push_back(std::move(events[i]));
  }
  if (left_out > 0) data["events_left_out"] = {{"after", kMostEvents / 2}, {"count", left_out}};
}

std::vector<std::string> cut_lines(std::vector<std::string> lines, size_t longest) {
  for (std::string& line : lines) line = cut(line, longest);
  return lines;
}

/// So many of them, spread over the run, the last among them. Sources and references are mostly those of the sample
/// before: they stand only where they are not.
json some_samples(const std::vector<const SamplesRecord*>& found, size_t count, size_t longest) {
  json samples = json::array();
  const SamplesRecord* before = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const SamplesRecord& record = *found[(i + 1) * found.size() / count - 1];
    json sample = {{key_of(&SamplesRecord::update), record.update},
                   {key_of(&SamplesRecord::output), cut_lines(record.output, longest)}};
    for (const auto lines : {&SamplesRecord::source, &SamplesRecord::reference}) {
      const bool known = before && before->*lines == record.*lines;
      if (!known) sample[std::string(key_of(lines))] = cut_lines(record.*lines, longest);
    }
    before = &record;
    samples.push_back(std::move(sample));
  }
  return samples;
}

size_t lines_of(const json& samples) {
  size_t lines = 0;
  for (const json& sample : samples) {
    for (const json& field : sample) lines += field.is_array() ? field.size() : 0;
  }
  return lines;
}

/// What the validations' outputs were. Long texts are shown of fewer moments, and what is too long even so is cut.
json samples_of(const RunLog& log, size_t most_bytes) {
  const std::vector<const SamplesRecord*> found = log.all<SamplesRecord>();
  size_t count = std::min(found.size(), kMostSamples);
  json samples = some_samples(found, count, kMostText);
  while (count > kFewSamples && to_json_line(samples).size() > most_bytes) {
    samples = some_samples(found, --count, kMostText);
  }
  if (to_json_line(samples).size() <= most_bytes) return samples;
  return some_samples(found, count, most_bytes / std::max<size_t>(1, lines_of(samples)));
}

std::string command_of(const RunLog& log) {
  for (const StartedEvent* event : log.all<StartedEvent>()) {
    if (event->command) return cut(*event->command);
  }
  return "";
}

json problems_of(const fs::path& run, const RunLog& log, const RunSummary& summary) {
  json problems = json::array();
  std::error_code ignored;
  if (!fs::exists(run / kLogFile, ignored))
    problems.push_back(fmt::format("There is no {}: nothing was logged yet.", kLogFile));
  if (cannot_be_read(run / kLogFile)) problems.push_back(fmt::format("{} cannot be opened.", kLogFile));
  if (!fs::exists(run / kConfigFile, ignored)) {
    problems.push_back(fmt::format("There is no {}: what was trained is not known.", kConfigFile));
  } else if (cannot_be_read(run / kConfigFile)) {
    problems.push_back(fmt::format("{} cannot be opened.", kConfigFile));
  } else if (fs::file_size(run / kConfigFile, ignored) == 0) {
    problems.push_back(fmt::format("{} is empty: what was trained is not known.", kConfigFile));
  } else if (!summary.config) {
    problems.push_back(fmt::format("{} is not one of this version: its keys are shown as they stand.", kConfigFile));
  }
  if (log.damaged_lines > 0) {
    problems.push_back(fmt::format("{} line{} of {} cannot be read and {} left out.", log.damaged_lines,
                                   log.damaged_lines == 1 ? "" : "s", kLogFile,
                                   log.damaged_lines == 1 ? "was" : "were"));
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
  const RunLog log = read_run_log(run, LogReading::Tolerant);
  const RunSummary summary = summarise_run(run, log);
  json data = {{"name", name},
               {"folder", run.string()},
               {"summary", to_json(summary)},
               {"curves", curves_data(log, budget)},
               {"samples", samples_of(log, budget.sample_bytes)},
               {"config", cannot_be_read(run / kConfigFile) ? "" : cut(file_content(run / kConfigFile))},
               {"command", command_of(log)},
               {"problems", problems_of(run, log, summary)}};
  add_events(log, data);
  if (json gradients = gradients_data(log, budget.gradient_cells); !gradients.is_null()) {
    data["gradients"] = std::move(gradients);
  }
  return data;
}

}  // namespace plumb::report
