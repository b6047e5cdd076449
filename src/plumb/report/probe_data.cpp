#include "plumb/report/probe_data.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/catalogue/probes.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/report/run_data.h"
#include "plumb/runs/probe_records.h"
#include "plumb/runs/run_log.h"

namespace plumb::report {
namespace {

using nlohmann::json;

/// To six digits; what is not finite becomes null.
json rounded(const Numbers& numbers) {
  json result = json::array();
  for (const double value : numbers) result.push_back(shown(value));
  return result;
}

bool all_finite(const Numbers& numbers) {
  return !numbers.empty() && std::ranges::all_of(numbers, [](double value) { return std::isfinite(value); });
}

/// {"probe", "number", "labels", "axis", "at", "mean", "low", "high", "seeds"}; the interval only where there is one.
json curve_of(const CurveRecord& record) {
  json curve = {{"probe", record.probe},
                {"number", record.number},
                {"labels", json(record.labels)},
                {"axis", record.axis.value_or("")},
                {"at", rounded(record.at.value_or(Numbers()))},
                {"mean", rounded(record.mean)}};
  if (record.seeds) curve["seeds"] = *record.seeds;
  // One seed has no interval; a component of a sum is shown as a colour, which has none either.
  const ProbeRow::Number* number = find_number(record.probe, record.number);
  const bool as_colour = number && number->chart == ProbeRow::Chart::Map;
  if (!as_colour && all_finite(record.low) && all_finite(record.high) && record.low.size() == record.mean.size()) {
    curve["low"] = rounded(record.low);
    curve["high"] = rounded(record.high);
  }
  return curve;
}

/// How a number is drawn that is not drawn as lines.
json chart_of(const ProbeRow::Number& number) {
  json chart = {{"number", number.name}, {"kind", word(number.chart)}};
  const ProbeRow::ChartWords& words = number.words;
  if (!words.of.empty()) chart.update({{"of", words.of}, {"legend", words.legend}});
  if (!words.title.empty()) chart.update({{"title", words.title}, {"x", words.x}, {"y", words.y}});
  if (words.to_one) chart["domain"] = {0, 1};
  return chart;
}

json arm_of(const SubjectRecord& subject) {
  return {{"variant", subject.variant},
          {"of", subject.of},
          {"sample", subject.sample},
          {"config", subject.config},
          {"curves", json::array()}};
}

/// Takes one record into the arms; false if nothing says whose it is, or if it is not fit to be shown.
bool take(json& arms, const ProbeRecord& record) {
  if (const auto* subject = std::get_if<SubjectRecord>(&record)) {
    arms.push_back(arm_of(*subject));
    return true;
  }
  if (std::holds_alternative<ReadingRecord>(record)) return true;
  if (arms.empty()) return false;
  if (const auto* curve = std::get_if<CurveRecord>(&record)) arms.back()["curves"].push_back(curve_of(*curve));
  if (const auto* forecast = std::get_if<VerdictRecord>(&record)) {
    if (!forecast->verdict.is_object()) return false;
    arms.back()["verdict"] = forecast->verdict;
  }
  return true;
}

}  // namespace

json probe_data(const std::filesystem::path& folder, const std::string& name) {
  json arms = json::array(), problems = json::array();
  int64_t damaged = 0;
  std::ifstream file;
  if (!cannot_be_read(folder / kProbeFile)) file.open(folder / kProbeFile, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (is_reading(line)) continue;  // no picture needs the readings of single seeds
    const bool unfinished = file.eof() && is_beginning_of_record(line);
    const std::optional<ProbeRecord> record =
        probe_record_of(json::parse(line, nullptr, /*allow_exceptions=*/false), FieldReading::Tolerant);
    if (!(record && take(arms, *record)) && !unfinished && !line.empty()) ++damaged;
  }
  if (cannot_be_read(folder / kProbeFile)) {
    problems.push_back("probe.jsonl cannot be opened.");
  } else if (arms.empty()) {
    problems.push_back("probe.jsonl has no measurement in it.");
  }
  if (damaged > 0) problems.push_back(fmt::format("{} of the lines of probe.jsonl cannot be read.", damaged));
  return {{"name", name}, {"folder", folder.string()}, {"arms", std::move(arms)}, {"problems", std::move(problems)}};
}

json probe_catalogue() {
  json rows = json::array();
  for (const ProbeRow& row : probes()) {
    json meanings = json::object(), charts = json::array();
    for (const ProbeRow::Number& number : row.numbers) {
      meanings[std::string(number.name)] = number.meaning;
      if (number.chart != ProbeRow::Chart::Lines) charts.push_back(chart_of(number));
    }
    rows.push_back({{"name", row.name},
                    {"paper", row.paper},
                    {"summary", row.summary},
                    {"numbers", std::move(meanings)},
                    {"charts", std::move(charts)}});
  }
  return rows;
}

}  // namespace plumb::report
