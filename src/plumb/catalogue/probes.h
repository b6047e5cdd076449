#pragma once

#include <span>
#include <string_view>

namespace plumb {

/// One measurement of a model; plumb/probe/<name>.cpp makes it. What the command, the report and the documents must
/// know of a probe is said here: nothing else asks for its name.
struct ProbeRow {
  /// Seconds, minutes, or longer than that for the models of the papers on two cores.
  enum class Tier { Cheap, Medium, Heavy };
  /// What must be there: any model, or the checkpoints of a run.
  enum class Needs { Model, Run };
  /// How the report draws a number that has an axis.
  enum class Chart {
    Lines,    // a line for each wiring
    Map,      // a matrix as colours
    Growth,   // against the number of sub-layers, with its fits r2_linear and r2_log
    Density,  // a density of eigenvalues, with the ends of the spectrum
    Updates,  // colours: a row for each matrix, along the updates of a run
    Bound,    // a thin line around the lines of another number
    Part,     // not at all: it belongs to another number's chart
  };
  /// What a chart cannot know of itself. The columns of a map are numbered by a label of the curves, the rows by their
  /// axis.
  struct ChartWords {
    std::string_view of;  // map: that label; bound: the number that it bounds
    std::string_view legend = {};
    std::string_view title = {}, x = {}, y = {};  // map
    bool to_one = false;                          // map: colours go from 0 to 1 at least
  };
  struct Number {
    std::string_view name;
    std::string_view meaning;  // one line
    Chart chart = Chart::Lines;
    ChartWords words = {};
    std::string_view only_where = {};  // what it needs besides the probe; empty: it is always there
  };

  std::string_view name;
  Tier tier;
  std::string_view paper;
  std::string_view reads;  // taps, parameters, gradients, losses
  std::string_view summary;
  std::span<const Number> numbers;
  Needs needs = Needs::Model;
  bool own_setting = false;  // it says nothing about the model of the config, and runs only if it is named
};

/// The two rows of the table that the theorems of Xiong et al. and Liu et al. are about.
extern const std::string_view kTheoryPost, kTheoryPre;

/// Rows that people would turn to when theirs does not train.
std::span<const std::string_view> wirings_to_suggest();

std::span<const ProbeRow> probes();
const ProbeRow* find_probe(std::string_view name);
const ProbeRow::Number* find_number(std::string_view probe, std::string_view number);
std::string_view word(ProbeRow::Tier tier);
std::string_view word(ProbeRow::Chart chart);

}  // namespace plumb
