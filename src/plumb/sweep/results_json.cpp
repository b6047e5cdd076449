#include <nlohmann/json.hpp>

#include "plumb/sweep/results.h"

namespace plumb::sweep {
namespace {

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json as_json(const SweepResults& results, const RunResult& result) {
  nlohmann::json json = {{"arm", results.arms[result.run.arm].arm.name},
                         {"seed", result.run.seed},
                         {"folder", result.run.folder.string()},
                         {"outcome", result.outcome()},
                         {"value", or_null(result.value)},
                         {"summary", to_json(result.summary)}};
  if (!result.test.empty()) json["test"] = result.test;
  if (!result.error.empty()) json["error"] = result.error;
  return json;
}

nlohmann::json as_json(const SweepResults& results, const ArmResult& result) {
  nlohmann::json point = nlohmann::json::object(), values = nlohmann::json::array();
  for (size_t i = 0; i < result.arm.point.size(); ++i)
    point[results.sweep.grid[i].key] = plain_value(result.arm.point[i]);
  for (const size_t run : result.runs) values.push_back(or_null(results.runs[run].value));
  return {{"name", result.arm.name},
          {"listed", result.arm.listed},
          {"overrides", result.arm.overrides},
          {"point", point},
          {"finished", result.finished},
          {"failed", result.failed},
          {"unfinished", result.unfinished},
          {"outcomes", result.outcomes},
          {"values", values},
          {"mean", or_null(result.mean)},
          {"deviation", or_null(result.deviation)}};
}

nlohmann::json as_json(const SweepResults& results, const ArmComparison& pair) {
  const PairedDifference& d = pair.difference;
  nlohmann::json json = {{"arm", results.arms[pair.arm].arm.name},
                         {"baseline", results.arms[pair.baseline].arm.name},
                         {"seeds", d.pairs},
                         {"difference", d.pairs > 0 ? nlohmann::json(d.mean) : nlohmann::json(nullptr)},
                         {"interval", d.low ? nlohmann::json({*d.low, *d.high}) : nlohmann::json(nullptr)},
                         {"coverage", d.coverage},
                         {"above", d.above},
                         {"below", d.below}};
  if (pair.test) {
    json["test"] = {{"metric", pair.test->metric},     {"sentences", pair.test->sentences},
                    {"seeds", pair.test->seeds},       {"score", pair.test->score},
                    {"baseline", pair.test->baseline}, {"p_value", pair.test->p_value}};
  }
  return json;
}

}  // namespace

nlohmann::json to_json(const SweepResults& results) {
  const Sweep& sweep = results.sweep;
  nlohmann::json grid = nlohmann::json::array();
  for (const Axis& axis : sweep.grid) {
    nlohmann::json values = nlohmann::json::array();
    for (const std::string& value : axis.values) values.push_back(plain_value(value));
    grid.push_back({{"key", axis.key}, {"values", values}});
  }
  nlohmann::json json = {{"version", 1},
                         {"name", sweep.name},
                         {"config", sweep.config.string()},
                         {"set", sweep.set},
                         {"metric", sweep.metric},
                         {"higher_is_better", results.higher_is_better},
                         {"baseline", sweep.baseline},
                         {"seeds", sweep.seeds},
                         {"grid", grid},
                         {"heatmap", heat_map_keys(sweep)},
                         {"complete", results.complete()},
                         {"arms", nlohmann::json::array()},
                         {"runs", nlohmann::json::array()},
                         {"comparisons", nlohmann::json::array()}};
  for (const ArmResult& arm : results.arms) json["arms"].push_back(as_json(results, arm));
  for (const RunResult& run : results.runs) json["runs"].push_back(as_json(results, run));
  for (const ArmComparison& pair : results.comparisons) json["comparisons"].push_back(as_json(results, pair));
  return json;
}

}  // namespace plumb::sweep
