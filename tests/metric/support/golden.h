#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plumb::test {

/// tests/golden/metric_scores.json, which make_metric_scores.py wrote from the definitions.
inline const nlohmann::json& golden_scores() {
  static const nlohmann::json file = [] {
    std::ifstream stream(std::string(PLUMB_SOURCE_DIR) + "/tests/golden/metric_scores.json");
    return nlohmann::json::parse(stream);
  }();
  return file;
}

using Lines = std::vector<std::string>;

/// All cases as one test set.
inline Lines golden_hypotheses() {
  Lines lines;
  for (const auto& one : golden_scores()["cases"]) lines.push_back(one["hypothesis"]);
  return lines;
}
inline std::vector<Lines> golden_references() {
  std::vector<Lines> lines;
  for (const auto& one : golden_scores()["cases"]) lines.push_back(one["references"].get<Lines>());
  return lines;
}

/// Two right ways to add the same few numbers differ by less.
inline constexpr double kTolerance = 1e-9;

}  // namespace plumb::test
