#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "plumb/probe/session.h"

namespace plumb::probe {

/// For probe.jsonl: per variant a "subject", every "reading" of every seed, every "curve" of means, and the "verdict".
std::string record_lines(const Results& results);

/// Means and forecasts in one object, for programs.
nlohmann::ordered_json to_json(const Results& results);

}  // namespace plumb::probe
