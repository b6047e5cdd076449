#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/data/prepared.h"
#include "plumb/task/task.h"

namespace plumb {

/// What a trained model is worth on one split.
struct Evaluation {
  Validation losses;
  std::vector<std::pair<std::string, double>> numbers;  // of the task: perplexities; of the metrics: their scores
  std::vector<std::string> outputs;                     // where a metric was asked for
};

/// The loss over the split and what the task makes of it; then the outputs, scored by each of `metrics`.
Evaluation evaluate(const Transformer& model, const Task& task, const PreparedSplit& split, const Config& config,
                    const std::vector<std::string>& metrics);

/// The lines that a split's outputs are compared with.
std::vector<std::vector<std::string>> references_of(const PreparedSplit& split);

}  // namespace plumb
