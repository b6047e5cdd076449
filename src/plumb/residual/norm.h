#pragma once

#include <optional>

#include "plumb/catalogue/terms.h"
#include "plumb/ops/norm.h"
#include "plumb/ops/residual.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// A norm with its parameters. A norm that a variant does not use is never built: a default Norm is absent and falsy,
/// so the parameter list of a variant is exactly its own.
class Norm {
 public:
  Norm() = default;
  Norm(ParameterStore& store, ParameterPlace place, NormKind kind, int64_t width, double eps);

  explicit operator bool() const { return static_cast<bool>(weight_); }
  at::Tensor operator()(const at::Tensor& x) const;
  /// x for a skip, and `factor` times its norm for the branch.
  ops::SkipAndNorm skip_and_norm(const at::Tensor& x, double factor) const;
  /// The norm of a sum, given and taken as its components [K, T, D]: each is divided by the statistics of the whole
  /// sum, so that the results add up to its norm; the bias goes to component 0. DyT, which no statistics make linear,
  /// becomes a factor per number.
  at::Tensor of_components(const at::Tensor& x) const;
  /// The norm as the end of a residual; nothing if it is absent.
  std::optional<ops::ResidualNorm> as_last() const;

 private:
  ops::NormWeights weights() const;

  NormKind kind_ = NormKind::Layer;
  double eps_ = 0;
  Parameter weight_, bias_, alpha_;
};

}  // namespace plumb
