#include "plumb/reproduce/result.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/version.h"

namespace plumb::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path file_of(const fs::path& folder, const std::string& id) {
  return folder / (id + ".json");
}

// Five digits say what seeds can tell, and keep the files readable.
double rounded(double value) {
  return std::isfinite(value) ? std::stod(fmt::format("{:.5g}", value)) : value;
}

json rounded_list(const std::vector<double>& values) {
  json list = json::array();
  for (double value : values) list.push_back(rounded(value));
  return list;
}

json to_json(const MeasuredRun& run) {
  json numbers = json::object(), course = json::array();
  for (const auto& [name, value] : run.numbers) numbers[name] = rounded(value);
  for (const auto& [update, loss] : run.course) course.push_back({update, rounded(loss)});
  return {{"arm", run.arm},
          {"seed", run.seed},
          {"outcome", state_name(run.outcome)},
          {"numbers", numbers},
          {"course", course}};
}

json to_json(const MeasuredCurve& curve) {
  return {{"of", curve.of},         {"probe", curve.probe},         {"number", curve.number},
          {"labels", curve.labels}, {"at", rounded_list(curve.at)}, {"mean", rounded_list(curve.mean)}};
}

MeasuredRun run_of(const json& from) {
  MeasuredRun run{.arm = from.at("arm"),
                  .seed = from.at("seed"),
                  .outcome = parse_state(from.at("outcome").get<std::string>()).value(),
                  .numbers = {},
                  .course = {}};
  for (const auto& [name, value] : from.at("numbers").items()) run.numbers[name] = number_of_json(value);
  for (const json& point : from.at("course")) run.course.emplace_back(point.at(0), number_of_json(point.at(1)));
  return run;
}

MeasuredCurve curve_of(const json& from) {
  return {.of = from.at("of"),
          .probe = from.at("probe"),
          .number = from.at("number"),
          .labels = from.at("labels"),
          .at = numbers_of(from.at("at")),
          .mean = numbers_of(from.at("mean"))};
}

bool is_spoken_of(const Entry& entry, const MeasuredCurve& curve) {
  const std::string name = curve.probe + "." + curve.number;
  // dependency.own is not spoken of where only dependency.own_share is.
  return std::ranges::any_of(entry.expectations, [&](const Expectation& one) {
    return std::ranges::any_of(std::string_view(",) "),
                               [&](char end) { return one.rule.text().find(name + end) != std::string::npos; });
  });
}

}  // namespace

bool is_stale(const Result& result, const Entry& entry) {
  return result.fingerprint != entry.fingerprint || result.lines.size() != entry.expectations.size();
}

std::string verdict_text(const Entry& entry, const std::optional<Result>& result) {
  if (!result) return "not run";
  return is_stale(*result, entry) ? "not run (the expectation has changed since)"
                                  : std::string(verdict_name(result->verdict));
}

Result make_result(const Entry& entry, const Judgement& judgement, const Measurements& measured, double seconds) {
  Result result{.id = entry.id,
                .fingerprint = entry.fingerprint,
                .verdict = judgement.verdict,
                .lines = {},
                .seconds = seconds,
                .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now())),
                .version = std::string(version()),
                .commit = std::string(commit()),
                .command = "plumb reproduce " + entry.id,
                .measured = {.runs = measured.runs, .curves = {}}};
  for (size_t i = 0; i < judgement.findings.size(); ++i) {
    const RuleFinding& finding = judgement.findings[i];
    result.lines.push_back(
        {entry.expectations[i].words, entry.expectations[i].rule.text(), finding.shown, finding.held});
  }
  std::ranges::copy_if(measured.curves, std::back_inserter(result.measured.curves),
                       [&](const MeasuredCurve& curve) { return is_spoken_of(entry, curve); });
  return result;
}

void write_result(const fs::path& folder, const Result& result) {
  json lines = json::array(), runs = json::array(), curves = json::array();
  for (const Result::Line& line : result.lines) {
    lines.push_back({{"words", line.words}, {"rule", line.rule}, {"measured", line.shown}, {"held", line.held}});
  }
  for (const MeasuredRun& run : result.measured.runs) runs.push_back(to_json(run));
  for (const MeasuredCurve& curve : result.measured.curves) curves.push_back(to_json(curve));
  const json whole = {{"schema", 1},
                      {"id", result.id},
                      {"expectation", result.fingerprint},
                      {"verdict", verdict_name(result.verdict)},
                      {"rules", lines},
                      {"seconds", rounded(result.seconds)},
                      {"date", result.date},
                      {"version", result.version},
                      {"commit", result.commit},
                      {"command", result.command},
                      {"runs", runs},
                      {"curves", curves}};
  make_folder(folder, "Choose another folder");
  // One record a line, as in a log: what changed shows in a diff.
  std::string text = "{\n";
  for (const auto& [key, value] : whole.items()) {
    text += fmt::format("{}\"{}\": ", text.size() > 2 ? ",\n" : "", key);
    if (!value.is_array() || value.empty()) {
      text += to_json_line(value);
      continue;
    }
    text += "[";
    for (size_t i = 0; i < value.size(); ++i) text += (i > 0 ? ",\n  " : "\n  ") + to_json_line(value[i]);
    text += "]";
  }
  write_whole(file_of(folder, result.id), text + "\n}\n");
}

std::optional<Result> read_result(const fs::path& folder, const std::string& id) {
  const fs::path file = file_of(folder, id);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  const auto damaged = [&](const char* how) {
    return DamagedFile(file.string(), how, "Restore it, or remove it and run the entry again");
  };
  std::ifstream in(file);
  if (!in || !fs::is_regular_file(file, ignored)) throw damaged("cannot be read");
  try {
    const json whole = json::parse(in);
    Result result{.id = whole.at("id"),
                  .fingerprint = whole.at("expectation"),
                  .verdict = {},
                  .lines = {},
                  .seconds = number_of_json(whole.at("seconds")),
                  .date = whole.at("date"),
                  .version = whole.at("version"),
                  .commit = whole.value("commit", ""),
                  .command = whole.at("command"),
                  .measured = {}};
    for (const json& line : whole.at("rules")) {
      result.lines.push_back({line.at("words"), line.at("rule"), line.at("measured"), line.at("held")});
    }
    for (const json& run : whole.at("runs")) result.measured.runs.push_back(run_of(run));
    for (const json& curve : whole.at("curves")) result.measured.curves.push_back(curve_of(curve));
    if (result.id != id) throw damaged("is the result of another entry");
    const auto held = static_cast<size_t>(std::ranges::count(result.lines, true, &Result::Line::held));
    result.verdict = entry_verdict(held, result.lines.size());
    if (whole.at("verdict") != verdict_name(result.verdict)) {
      throw damaged("has a verdict that does not follow from its rules");
    }
    return result;
  } catch (const json::exception&) {
    throw damaged("is not a whole result");
  } catch (const std::bad_optional_access&) {
    throw damaged("has a run with an unknown outcome");
  }
}

}  // namespace plumb::reproduce
