#pragma once

#include <string>
#include <vector>

#include "plumb/config/stack_plan.h"
#include "plumb/ops/linear.h"
#include "plumb/residual/residual.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// One or several matrices applied to the same input in one multiplication: `[3D, D]` for query, key and value.
class Linear {
 public:
  struct Part {
    std::string name;
    Role weight;
    Role bias;
  };

  Linear() = default;
  /// Each part is a [fan_out, fan_in] matrix with, or without, a bias. `layer` counts from 0.
  Linear(ParameterStore& store, const StackPlan& plan, Sublayer sublayer, int layer, const std::vector<Part>& parts,
         int64_t fan_out, int64_t fan_in, bool with_bias);

  explicit operator bool() const { return static_cast<bool>(weight_); }
  at::Tensor operator()(const at::Tensor& x) const;
  /// x W^T, the bias beside it.
  Projected project(const at::Tensor& x) const;

  // For the first projection of a branch: the same, and x handed on.
  ops::LinearAndSkip and_skip(const at::Tensor& x) const;
  Projected project_and_skip(const at::Tensor& x) const;

 private:
  Parameter weight_, bias_;
};

}  // namespace plumb
