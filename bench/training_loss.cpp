#include "training_loss.h"

#include <ATen/ATen.h>

namespace plumb::bench {

at::Tensor training_loss(const Transformer& model, const TrainingBatch& batch, const Pass& pass,
                         const TrainConfig& train) {
  const ops::CrossEntropy sums = model.cross_entropies(model.features(batch.inputs, pass), batch.targets,
                                                       train.label_smoothing, train.smoothing_over);
  return sums.smoothed / static_cast<double>(batch.targets.numel());
}

}  // namespace plumb::bench
