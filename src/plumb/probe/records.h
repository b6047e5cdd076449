#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/probe/examine.h"
#include "plumb/probe/verdict.h"

namespace plumb {

/// One wiring, with all that was measured of it and what follows, if anything does.
struct Arm {
  Findings findings;
  std::optional<Verdict> verdict;
};

/// For probe.jsonl: per wiring a "subject", every "reading" of every seed, every "curve" of means, and the "verdict".
std::string record_lines(const std::string& what, const std::vector<Arm>& arms, const Sample& sample);

/// Means and verdicts in one object, for programs.
nlohmann::ordered_json to_json(const std::string& what, const std::vector<Arm>& arms, const Sample& sample);

}  // namespace plumb
