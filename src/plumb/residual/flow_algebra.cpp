#include <ATen/ATen.h>

#include "plumb/ops/weighted_sum.h"
#include "plumb/residual/wiring.h"

namespace plumb {
namespace {

class StatesAlgebra : public FlowAlgebra {
 public:
  at::Tensor normed(const Norm& norm, const at::Tensor& x) const override { return norm(x); }
  at::Tensor mixed(const std::vector<at::Tensor>& terms, const at::Tensor& weights) const override {
    return ops::weighted_sum(terms, weights);
  }
};

class ComponentsAlgebra : public FlowAlgebra {
 public:
  at::Tensor normed(const Norm& norm, const at::Tensor& x) const override { return norm.of_components(x); }
  at::Tensor mixed(const std::vector<at::Tensor>& terms, const at::Tensor& weights) const override {
    at::Tensor sum = at::zeros_like(terms.back());
    for (size_t i = 0; i < terms.size(); ++i) {
      sum.narrow(0, 0, terms[i].size(0)) += weights[static_cast<int64_t>(i)] * terms[i];
    }
    return sum;
  }
};

}  // namespace

const FlowAlgebra& states_algebra() {
  static const StatesAlgebra algebra;
  return algebra;
}

const FlowAlgebra& components_algebra() {
  static const ComponentsAlgebra algebra;
  return algebra;
}

}  // namespace plumb
