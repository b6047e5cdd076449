#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

#include "plumb/ops/dropout.h"
#include "plumb/ops/norm.h"
#include "plumb/ops/packed.h"

namespace plumb::ops {

/// A factor of the residual equation: a number, or learned: [1] or [D].
struct Gain {
  double value = 1;
  at::Tensor learned = {};
};

struct ResidualNorm {
  NormKind kind = NormKind::Layer;
  NormWeights weights;
  double eps = 0;
};

/// The residual equation from the branch's product on. Only f and the rows must be there.
struct ResidualTerms {
  at::Tensor f;          // [N, D]
  at::Tensor bias = {};  // [D], of the projection that made f
  at::Tensor x = {};     // [N, D]
  at::Tensor bottom = {};
  Packed rows;
  Dropout dropout = {};
  Gain r = {}, g = {};
  double alpha = 0, beta = 1;
  std::optional<ResidualNorm> norm = {};
};

/// One pass over the rows forward, one backward:
///
///     a = dropout(f + bias)
///     z = beta (r x + g a) + alpha bottom
///     y = norm(z)
at::Tensor residual(const ResidualTerms& terms);

}  // namespace plumb::ops
