#pragma once

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/batch.h"

namespace plumb::bench {

/// theta . (H theta), where H is the Hessian of the training loss and theta are the parameters: a vector that every
/// program has, so that their results can be compared.
double curvature(Transformer& model, const TrainingBatch& batch, const TrainConfig& train);

}  // namespace plumb::bench
