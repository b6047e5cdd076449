#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/probe/examine.h"
#include "plumb/probe/rules.h"

namespace plumb {

/// What follows from the measurements for training: sentences, each with the number and the rule that it rests on.
struct Verdict {
  struct Sentence {
    std::string about;  // one word
    std::string says;   // with the numbers
    std::string rule;
    rules::Ground ground;
  };

  std::string variant;
  std::vector<Sentence> sentences;
  bool will_train = true;
  bool needs_warmup = false;
  double strain = 0;        // see rules::kStrain
  double limit = 0;         // of the strain, for this wiring
  double largest_rate = 0;  // without warm-up
};

/// What the rules need: these probes and no others.
std::vector<const ProbeRow*> probes_of_the_forecast();

/// `others`: the same model with other wirings, as far as they were measured.
Verdict verdict_of(const Findings& findings, const std::vector<Findings>& others = {});

std::string in_words(const Verdict& verdict);
nlohmann::ordered_json to_json(const Verdict& verdict);

}  // namespace plumb
