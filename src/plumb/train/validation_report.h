#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/runs/log_records.h"
#include "plumb/train/training_data.h"

namespace plumb {

/// What a validation during training measures: the losses, what the task makes of them and, if `train.validate_metric`
/// names a metric, the score of greedy outputs and the first of them.
struct ValidationReport {
  Validation losses;
  std::vector<std::pair<std::string, double>> numbers;
  std::optional<SamplesRecord> samples = {};  // of no update yet
};

ValidationReport validation_report(const Transformer& model, const TrainingData& data, const Config& config);

}  // namespace plumb
