#pragma once

#include "plumb/optim/adam.h"

namespace plumb {

/// RAdam: Adam whose steps are shortened while v rests on few gradients. rho_t is about the number of gradients that v
/// averages; below 4 the variance of 1 / sqrt(v) does not exist, and no factor can mend the step.
///
/// The code of the Admin paper (`radam_form = "clinic"`) then makes no step, so that a run begins with five updates
/// that only fill the moments; decay acts in all of them. The paper's algorithm makes a step of momentum.
class Radam : public Adam {
 public:
  using Adam::Adam;

 protected:
  Step step_at(int64_t t) const override;
};

/// rho_t = rho - 2t b2^t / (1 - b2^t), which rises from 1 to rho = 2 / (1 - b2) - 1.
double radam_rho(double beta2, int64_t t);

/// The factor of the step where rho_t > 4: sqrt((rho_t - 4)(rho_t - 2) rho / ((rho - 4)(rho - 2) rho_t)).
double radam_rectification(double beta2, int64_t t);

}  // namespace plumb
