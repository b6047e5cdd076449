#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/probe/subject.h"

namespace plumb::probe {

/// The Hessian of the mean loss over the fixed set, a product at a time: H v = sum of w_b H_b v over its chunks, each
/// weighted by its share of the tokens.
class Hessian {
 public:
  Hessian(const Subject& subject, Transformer& model);

  /// Vectors are laid out as the parameters; the gaps between them stay zero.
  at::Tensor times(const at::Tensor& v) const;
  /// The gradient of the same loss.
  at::Tensor gradient() const;
  double loss() const;

  /// Ones at the parameters, zeros in the gaps; or ones at the parameters of these names alone.
  at::Tensor mask() const;
  at::Tensor mask_of(const std::vector<std::string>& names) const;

 private:
  double weight(const ProbeBatch& chunk) const;

  const Subject& subject_;
  Transformer& model_;
  int64_t tokens_ = 0;
};

}  // namespace plumb::probe
