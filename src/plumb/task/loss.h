#pragma once

#include "plumb/config/config.h"
#include "plumb/nn/transformer.h"
#include "plumb/task/batch.h"

namespace plumb {

/// What a model has to pay for a batch: sums over its targets, in nats. `nll` is that of the targets alone; `smoothed`,
/// which is minimised, has the smoothing of the labels in it, and the mean cross-entropy of a batch's `labels` as often
/// as it has targets, so that a division by their number gives the sum of both means.
ops::CrossEntropy losses(const Transformer& model, const TrainingBatch& batch, const TrainConfig& train,
                         const Pass& pass);

/// The scores of the classes of every sequence. [B, classes]
at::Tensor class_logits(const Transformer& model, const TrainingBatch& batch, const Pass& pass);

}  // namespace plumb
