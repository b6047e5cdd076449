#include "plumb/reproduce/evidence.h"

#include <fstream>
#include <limits>
#include <optional>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/runs/probe_records.h"
#include "plumb/runs/run_log.h"
#include "plumb/runs/run_summary.h"

namespace plumb::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Nothing if it lacks what a rule needs.
std::optional<MeasuredCurve> curve_of(const CurveRecord& record, const std::string& of) {
  const std::string& subject = of.empty() ? record.variant : of;
  if (subject.empty() || record.probe.empty() || record.number.empty() || record.mean.empty()) return std::nullopt;
  return MeasuredCurve{.of = subject,
                       .probe = record.probe,
                       .number = record.number,
                       .labels = record.labels,
                       .at = record.at.value_or(std::vector<double>()),
                       .mean = record.mean};
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
    const std::optional<ProbeRecord> record =
        probe_record_of(json::parse(line, nullptr, /*allow_exceptions=*/false), FieldReading::Strict);
    const CurveRecord* read = record ? std::get_if<CurveRecord>(&*record) : nullptr;
    if (record && !read) continue;
    const std::optional<MeasuredCurve> curve = read ? curve_of(*read, of) : std::nullopt;
    if (!curve) {
      throw DamagedFile(fmt::format("{}:{}", file.string(), number), "is not a record of a probe",
                        "Remove the file and run the entry again");
    }
    curves.push_back(*curve);
  }
  return curves;
}

}  // namespace plumb::reproduce
