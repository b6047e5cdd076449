#include "training_loss.h"

#include <ATen/ATen.h>

#include "plumb/task/loss.h"

namespace plumb::bench {

at::Tensor training_loss(const Transformer& model, const TrainingBatch& batch, const Pass& pass,
                         const TrainConfig& train) {
  return losses(model, batch, train, pass).smoothed / static_cast<double>(batch.tokens());
}

}  // namespace plumb::bench
