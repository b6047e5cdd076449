#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/probe/examine.h"

namespace plumb {

/// What a statement rests on.
enum class Basis_ { Theory, Measured, RuleOfThumb };

struct Verdict {
  std::string variant;
};

Verdict verdict_of(const Findings& findings);
std::string in_words(const Verdict& verdict);
nlohmann::ordered_json to_json(const Verdict& verdict);

}  // namespace plumb
