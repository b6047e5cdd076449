#pragma once

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/batch.h"

namespace plumb::bench {

/// The label-smoothed cross-entropy of a batch, the mean over its target tokens, as training computes it.
at::Tensor training_loss(const Transformer& model, const TrainingBatch& batch, const Pass& pass,
                         const TrainConfig& train);

}  // namespace plumb::bench
