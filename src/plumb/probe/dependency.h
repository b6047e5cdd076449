#pragma once

#include <vector>

#include "plumb/nn/transformer.h"
#include "plumb/residual/taps.h"

namespace plumb::probe {

/// beta_ij: row i (from 0) of the i+1-th sub-layer's output, column j of the embedding (0) and the branches.
struct Dependency {
  std::vector<std::vector<double>> beta;
  double error = 0;  // the largest |x - sum| / |x| among the sub-layers
  bool exact = true;

  double own(size_t sublayer) const { return beta[sublayer][sublayer + 1] * beta[sublayer][sublayer + 1]; }
};

Dependency dependency_of(const Transformer& model, Stack stack, const TapRecorder& taps);

}  // namespace plumb::probe
