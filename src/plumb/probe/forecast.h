#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/probe/examine.h"

namespace plumb::probe {

/// What a statement rests on.
enum class Ground { Theory, Measured, RuleOfThumb };
std::string_view in_words(Ground ground);

/// What follows from the measurements for training: sentences, each with the number and the rule that it rests on.
struct Forecast {
  struct Sentence {
    std::string about;  // one word
    std::string says;   // with the numbers
    std::string rule;
    Ground ground;
  };

  std::string variant;
  std::vector<Sentence> sentences;
  bool will_train = true;
  bool needs_warmup = false;
  double strain = 0;        // lr times the relative shift of the output per unit of lr
  double limit = 0;         // of the strain, for this wiring
  double largest_rate = 0;  // without warm-up
};

/// `others`: the same model with other wirings, as far as they were measured.
Forecast forecast_of(const Findings& findings, const std::vector<Findings>& others = {});

std::string in_words(const Forecast& forecast);
nlohmann::ordered_json to_json(const Forecast& forecast);

}  // namespace plumb::probe
