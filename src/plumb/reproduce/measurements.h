#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/runs/run_summary.h"

namespace plumb::reproduce {

/// What the names of numbers of the test set begin with: test.bleu.
inline constexpr char kTestPrefix[] = "test.";

/// One training run as the rules see it. A run that diverged has the loss infinity: it is never left out of a mean.
struct MeasuredRun {
  std::string arm;
  int64_t seed = 0;
  RunState outcome = RunState::Finished;           // or stuck or diverged
  std::map<std::string, double> numbers;           // loss, last_loss, entropy, unigram_share, seconds, bleu, ...
  std::vector<std::pair<int64_t, double>> course;  // (update, validation loss), in order
};

/// One curve of `plumb probe`, or a single number of it.
struct MeasuredCurve {
  std::string of;  // the arm that was probed, or the variant of a probed config
  std::string probe, number;
  std::map<std::string, std::string> labels;  // stack = decoder, matrix = fc2, ...
  std::vector<double> at;                     // empty for a single number
  std::vector<double> mean;
};

/// Everything that was measured for an entry.
struct Measurements {
  std::vector<MeasuredRun> runs;
  std::vector<MeasuredCurve> curves;
};

/// Whether `name` is what `pattern` says, where * stands for any letters.
bool matches(std::string_view pattern, std::string_view name);

/// The numbers of a list in a record, finite or not.
std::vector<double> numbers_of(const nlohmann::json& list);

}  // namespace plumb::reproduce
