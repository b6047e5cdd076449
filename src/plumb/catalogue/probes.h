#pragma once

#include <span>
#include <string_view>

namespace plumb {

/// One measurement of a model; plumb/probe/<name>.cpp makes it.
struct ProbeRow {
  /// Seconds, minutes, or longer than that for the models of the papers on two cores.
  enum class Tier { Cheap, Medium, Heavy };
  /// What must be there: any model, or the checkpoints of a run.
  enum class Needs { Model, Run };
  struct Number {
    std::string_view name;
    std::string_view meaning;  // one line
  };

  std::string_view name;
  Tier tier;
  std::string_view paper;
  std::string_view reads;  // taps, parameters, gradients, losses
  std::string_view summary;
  std::span<const Number> numbers;
  Needs needs = Needs::Model;
};

/// The two rows of the table that the theorems of Xiong et al. and Liu et al. are about.
extern const std::string_view kTheoryPost, kTheoryPre;

/// Rows that people would turn to when theirs does not train.
std::span<const std::string_view> wirings_to_suggest();

std::span<const ProbeRow> probes();
const ProbeRow* find_probe(std::string_view name);
std::string_view word(ProbeRow::Tier tier);

}  // namespace plumb
