#pragma once

#include "plumb/optim/optimiser.h"

namespace plumb {

/// Gradient descent: p -= lr * g, or with momentum b = momentum * b + g, p -= lr * b (torch's, without dampening).
class Sgd : public Optimiser {
 public:
  Sgd(const OptimConfig& config, const ParameterStore& store);

 protected:
  Update update(double lr, int64_t t, double gradient_scale) const override;
};

}  // namespace plumb
