#include "plumb/probe/records.h"

#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/config/dump.h"

namespace plumb {
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

std::string record_lines(const std::string& what, const std::vector<Arm>& arms, const Sample& sample) {
  std::string lines;
  for (const Arm& arm : arms) {
    const Findings& findings = arm.findings;
    const ordered_json subject = {{"type", "subject"},
                                  {"of", what},
                                  {"variant", findings.variant},
                                  {"sample", sample.origin},
                                  {"config", to_toml(findings.config)}};
    lines += to_json_line(subject) + '\n';
    for (const Finding& finding : findings.all) lines += lines_of(findings, finding);
    if (!arm.verdict) continue;
    const ordered_json verdict = {
        {"type", "verdict"}, {"variant", findings.variant}, {"verdict", to_json(*arm.verdict)}};
    lines += to_json_line(verdict) + '\n';
  }
  return lines;
}

ordered_json to_json(const std::string& what, const std::vector<Arm>& arms, const Sample& sample) {
  ordered_json all = ordered_json::array();
  for (const Arm& arm : arms) {
    ordered_json probes = ordered_json::object();
    for (const Finding& finding : arm.findings.all) {
      ordered_json curves = ordered_json::array();
      for (const Curve& curve : finding.means) curves.push_back(to_json(curve));
      probes[std::string(finding.row->name)] = {{"seconds", finding.seconds}, {"curves", std::move(curves)}};
    }
    ordered_json one = {{"variant", arm.findings.variant}, {"probes", std::move(probes)}};
    if (arm.verdict) one["verdict"] = to_json(*arm.verdict);
    all.push_back(std::move(one));
  }
  return {{"of", what}, {"sample", sample.origin}, {"arms", std::move(all)}};
}

}  // namespace plumb
