#pragma once

#include <string>

#include "plumb/nn/transformer.h"
#include "plumb/task/batch.h"

namespace plumb {

/// Where numbers first went wrong in a step that was not finite: the first tap of the forward pass, the last one of
/// the backward pass, and the parameter that holds one or, if none does, whose gradient got one first. Empty: none.
struct NonFinite {
  std::string tap, gradient_tap, parameter;
};

/// Repeats the step with every tap watched. The gradients that the parameters hold are those of the step.
NonFinite locate_nonfinite(const Transformer& model, const TrainingBatch& batch, const TrainConfig& train, Pass pass);

}  // namespace plumb
