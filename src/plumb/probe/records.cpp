#include "plumb/probe/records.h"

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/config/dump.h"

namespace plumb::probe {
namespace {

using nlohmann::ordered_json;

std::string lines_of(const Findings& findings, const Finding& finding) {
  std::string lines;
  const auto add = [&](ordered_json record, const ordered_json& found) {
    record.update({{"probe", finding.row->name}, {"variant", findings.variant}});
    record.update(found);
    lines += to_json_line(record) + '\n';
  };
  int64_t seed = findings.config.seed;
  for (const Readings& readings : finding.by_seed) {
    for (const Reading& reading : readings.all()) add({{"type", "reading"}, {"seed", seed}}, to_json(reading));
    ++seed;
  }
  for (const Curve& curve : finding.means) add({{"type", "curve"}}, to_json(curve));
  return lines;
}

}  // namespace

std::string record_lines(const Results& results) {
  std::string lines;
  for (const ProbedVariant& one : results.variants) {
    const Findings& findings = one.findings;
    const ordered_json subject = {{"type", "subject"},
                                  {"of", results.what},
                                  {"variant", findings.variant},
                                  {"sample", results.sample.origin},
                                  {"config", to_toml(findings.config)}};
    lines += to_json_line(subject) + '\n';
    for (const Finding& finding : findings.all) lines += lines_of(findings, finding);
    if (!one.forecast) continue;
    const ordered_json forecast = {
        {"type", "verdict"}, {"variant", findings.variant}, {"verdict", to_json(*one.forecast)}};
    lines += to_json_line(forecast) + '\n';
  }
  return lines;
}

ordered_json to_json(const Results& results) {
  ordered_json all = ordered_json::array();
  for (const ProbedVariant& one : results.variants) {
    ordered_json probes = ordered_json::object();
    for (const Finding& finding : one.findings.all) {
      ordered_json curves = ordered_json::array();
      for (const Curve& curve : finding.means) curves.push_back(to_json(curve));
      probes[std::string(finding.row->name)] = {{"seconds", finding.seconds}, {"curves", std::move(curves)}};
    }
    ordered_json entry = {{"variant", one.findings.variant}, {"probes", std::move(probes)}};
    if (one.forecast) entry["verdict"] = to_json(*one.forecast);
    all.push_back(std::move(entry));
  }
  return {{"of", results.what}, {"sample", results.sample.origin}, {"arms", std::move(all)}};
}

}  // namespace plumb::probe
