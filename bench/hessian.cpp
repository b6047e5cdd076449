#include "hessian.h"

#include <ATen/ATen.h>

#include "plumb/probe/hessian_vector.h"

#include "training_loss.h"

namespace plumb::bench {

double curvature(Transformer& model, const TrainingBatch& batch, const TrainConfig& train) {
  ParameterStore& store = model.parameters();
  store.zero_gradients();
  probe::add_hessian_vector(store, store.values(), [&] { return training_loss(model, batch, {}, train); });
  return store.gradients().dot(store.values()).item<double>();
}

}  // namespace plumb::bench
