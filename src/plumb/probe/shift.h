#pragma once

#include "plumb/probe/subject.h"

namespace plumb::probe {

/// How far the output of a stack moves when the weights do.
struct OutputShift {
  double random = 0;  // |F(W) - F(W*)|^2, every weight of a matrix moved by 1e-4 to a random side
  double adam = 0;    // the same for one Adam step of 1e-6: the sign of the gradient
  double size = 0;    // |F(W)|^2

  static constexpr double kRandomStep = 1e-4, kAdamStep = 1e-6;
  /// |F(W) - F(W*)| / |F(W)| by an Adam step, over the learning rate.
  double relative_rate() const;
};

OutputShift output_shift(const Subject& subject, Stack stack);

}  // namespace plumb::probe
