#include "plumb/reproduce/evidence.h"

#include <fstream>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/runs/run_log.h"
#include "plumb/runs/run_summary.h"

namespace plumb::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

MeasuredCurve curve_of(const json& record, const std::string& of) {
  // Every other text of a record is one of its labels.
  static const std::set<std::string> kFields = {"type", "variant", "probe", "number", "axis"};
  MeasuredCurve curve{.of = of.empty() ? record.at("variant").get<std::string>() : of,
                      .probe = record.at("probe"),
                      .number = record.at("number"),
                      .labels = {},
                      .at = record.contains("at") ? numbers_of(record.at("at")) : std::vector<double>(),
                      .mean = numbers_of(record.at("mean"))};
  for (const auto& [key, value] : record.items()) {
    if (value.is_string() && !kFields.contains(key)) curve.labels[key] = value;
  }
  return curve;
}

}  // namespace

MeasuredRun measured_run(const fs::path& folder, const std::string& arm) {
  const RunLog log = read_run_log(folder, LogReading::Tolerant);
  const RunSummary summary = summarise_run(folder, log);
  MeasuredRun run{.arm = arm, .seed = summary.seed, .outcome = summary.state, .numbers = {}, .course = {}};
  const bool diverged = summary.state == RunState::Diverged;
  run.numbers["loss"] = diverged || !summary.best ? kInfinity : summary.best->nll;
  run.numbers["ppl"] = diverged || !summary.best ? kInfinity : summary.best->ppl;
  run.numbers["last_loss"] = diverged || !summary.last ? kInfinity : summary.last->nll;
  run.numbers["train_loss"] = diverged || !summary.train_loss ? kInfinity : *summary.train_loss;
  if (summary.unigram_entropy) run.numbers["entropy"] = *summary.unigram_entropy;
  if (summary.unigram_share) run.numbers["unigram_share"] = diverged ? kInfinity : *summary.unigram_share;
  run.numbers["update"] = static_cast<double>(summary.update);
  run.numbers["seconds"] = summary.seconds.value_or(0);
  for (const auto& [name, best] : summary.best_scores) run.numbers[name] = best.value;
  for (const ValidRecord* record : log.all<ValidRecord>()) {
    run.course.emplace_back(record->update, record->nll.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return run;
}

std::vector<MeasuredCurve> measured_curves(const fs::path& file, const std::string& of) {
  std::ifstream in(file);
  if (!in) throw UserError(file.string(), "cannot be read", "Run the entry again");
  std::vector<MeasuredCurve> curves;
  int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      const json record = json::parse(line);
      if (record.value("type", "curve") == "curve") curves.push_back(curve_of(record, of));
    } catch (const json::exception&) {
      throw DamagedFile(fmt::format("{}:{}", file.string(), number), "is not a record of a probe",
                        "Remove the file and run the entry again");
    }
  }
  return curves;
}

}  // namespace plumb::reproduce
