#include "plumb/report/probe_data.h"

#include <cmath>
#include <fstream>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/catalogue/probes.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/report/json_depth.h"
#include "plumb/report/run_data.h"
#include "plumb/runs/run_log.h"

namespace plumb::report {
namespace {

using nlohmann::json;

std::string text(const json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Numbers to six digits; what is no number becomes null.
json numbers(const json& record, const char* key) {
  json result = json::array();
  const auto found = record.find(key);
  if (found == record.end() || !found->is_array()) return result;
  for (const json& value : *found) {
    try {
      result.push_back(shown(number_of_json(value)));
    } catch (const json::exception&) {
      result.push_back(nullptr);
    }
  }
  return result;
}

bool is_finite_list(const json& list) {
  for (const json& value : list) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return false;
  }
  return !list.empty();
}

/// {"probe", "number", "labels", "axis", "at", "mean", "low", "high", "seeds"}; the interval only where there is one.
json curve_of(const json& record) {
  static const std::set<std::string> kOwn = {"type", "probe",     "variant", "number", "axis", "at",
                                             "mean", "deviation", "low",     "high",   "seeds"};
  json labels = json::object();
  for (const auto& [key, value] : record.items()) {
    if (!kOwn.contains(key) && value.is_string()) labels[key] = value;
  }
  json curve = {{"probe", text(record, "probe")}, {"number", text(record, "number")},
                {"labels", std::move(labels)},    {"axis", text(record, "axis")},
                {"at", numbers(record, "at")},    {"mean", numbers(record, "mean")}};
  const auto seeds = record.find("seeds");
  if (seeds != record.end() && seeds->is_number_integer()) curve["seeds"] = *seeds;
  json low = numbers(record, "low"), high = numbers(record, "high");
  // One seed has no interval; a component of a sum is shown as a colour, which has none either.
  const ProbeRow::Number* number = find_number(text(record, "probe"), text(record, "number"));
  const bool as_colour = number && number->chart == ProbeRow::Chart::Map;
  if (!as_colour && is_finite_list(low) && is_finite_list(high) && low.size() == curve["mean"].size()) {
    curve["low"] = std::move(low);
    curve["high"] = std::move(high);
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

json arm_of(const json& subject) {
  return {{"variant", text(subject, "variant")},
          {"of", text(subject, "of")},
          {"sample", text(subject, "sample")},
          {"config", text(subject, "config")},
          {"curves", json::array()}};
}

/// Takes one record into the arms; false if it is none.
bool take(json& arms, const json& record) {
  if (!record.is_object()) return false;
  const std::string type = text(record, "type");
  if (type == "subject") {
    arms.push_back(arm_of(record));
  } else if (arms.empty()) {
    return type == "reading";  // nothing says whose it is
  } else if (type == "curve") {
    arms.back()["curves"].push_back(curve_of(record));
  } else if (type == "verdict") {
    const auto verdict = record.find("verdict");
    if (verdict == record.end() || !verdict->is_object() || deeper_than(*verdict, kDeepestJson)) return false;
    arms.back()["verdict"] = *verdict;
  }
  return !type.empty();
}

}  // namespace

json probe_data(const std::filesystem::path& folder, const std::string& name) {
  json arms = json::array(), problems = json::array();
  int64_t damaged = 0;
  std::ifstream file(folder / kProbeFile, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    // Most lines are readings of single seeds, which no picture needs; to parse them would take most of the time.
    if (line.find("\"type\":\"reading\"") != std::string::npos) continue;
    const bool unfinished = file.eof() && is_beginning_of_record(line);
    if (!take(arms, json::parse(line, nullptr, /*allow_exceptions=*/false)) && !unfinished && !line.empty()) ++damaged;
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
