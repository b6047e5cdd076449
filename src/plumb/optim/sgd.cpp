#include "plumb/optim/sgd.h"

#include <ATen/ATen.h>

namespace plumb {

// Without momentum there is nothing to keep: a checkpoint of plain gradient descent is its parameters.
Sgd::Sgd(const OptimConfig& config, const ParameterStore& store)
    : Optimiser(
          config, store,
          config.momentum == 0 ? std::vector<std::string_view>{} : std::vector<std::string_view>{"momentum_buffer"}) {}

Optimiser::Update Sgd::update(double lr, int64_t, double) const {
  if (config().momentum == 0) return [lr](Stretch& s) { s.p.add_(s.g, -lr); };
  return [lr, momentum = config().momentum](Stretch& s) {
    const at::Tensor& b = s.state[0];
    b.mul_(momentum).add_(s.g);
    s.p.add_(b, -lr);
  };
}

}  // namespace plumb
