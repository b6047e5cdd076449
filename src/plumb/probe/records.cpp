#include "plumb/probe/records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/config/dump.h"
#include "plumb/runs/probe_records.h"

namespace plumb::probe {
namespace {

using nlohmann::ordered_json;

/// Whose a reading or a curve is.
template <class Record>
Record of(Record record, const Findings& findings, const Finding& finding) {
  record.probe = finding.row->name;
  record.variant = findings.variant;
  return record;
}

std::vector<ProbeRecord> records_of(const Findings& findings, const Finding& finding) {
  std::vector<ProbeRecord> records;
  int64_t seed = findings.config.seed;
  for (const Readings& readings : finding.by_seed) {
    for (const Reading& reading : readings.all()) {
      ReadingRecord record = of(record_of(reading), findings, finding);
      record.seed = seed;
      records.emplace_back(std::move(record));
    }
    ++seed;
  }
  for (const Curve& curve : finding.means) records.emplace_back(of(record_of(curve), findings, finding));
  return records;
}

}  // namespace

std::string record_lines(const Results& results) {
  std::string lines;
  const auto add = [&](const ProbeRecord& record) { lines += to_json_line(to_json(record)) + '\n'; };
  for (const ProbedVariant& one : results.variants) {
    const Findings& findings = one.findings;
    add(SubjectRecord{.of = results.what,
                      .variant = findings.variant,
                      .sample = results.sample.origin,
                      .config = to_toml(findings.config)});
    for (const Finding& finding : findings.all) std::ranges::for_each(records_of(findings, finding), add);
    if (one.forecast) add(VerdictRecord{.variant = findings.variant, .verdict = to_json(*one.forecast)});
  }
  return lines;
}

ordered_json to_json(const Results& results) {
  ordered_json all = ordered_json::array();
  for (const ProbedVariant& one : results.variants) {
    ordered_json probes = ordered_json::object();
    for (const Finding& finding : one.findings.all) {
      ordered_json curves = ordered_json::array();
      for (const Curve& curve : finding.means) {
        curves.push_back(ordered_json(to_json(of(record_of(curve), one.findings, finding))));
      }
      probes[std::string(finding.row->name)] = {{"seconds", finding.seconds}, {"curves", std::move(curves)}};
    }
    ordered_json entry = {{"variant", one.findings.variant}, {"probes", std::move(probes)}};
    if (one.forecast) entry["verdict"] = to_json(*one.forecast);
    all.push_back(std::move(entry));
  }
  return {{"of", results.what}, {"sample", results.sample.origin}, {"arms", std::move(all)}};
}

}  // namespace plumb::probe
