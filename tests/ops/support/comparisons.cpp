#include "ops/support/comparisons.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "ops/support/cases.h"
#include "support/numbers.h"

namespace plumb::test {

std::vector<DerivativeCase> small_and_large_cases() {
  std::vector<DerivativeCase> all;
  for (CaseSize size : {CaseSize::Small, CaseSize::Large}) {
    for (DerivativeCase& one : op_cases(size)) {
      one.name += size == CaseSize::Small ? "_small" : "_large";
      all.push_back(one);
    }
  }
  return all;
}

std::vector<at::Tensor> leaves(const std::vector<at::Tensor>& inputs, at::ScalarType dtype) {
  std::vector<at::Tensor> result;
  for (const at::Tensor& input : inputs) result.push_back(input.detach().to(dtype).clone().requires_grad_());
  return result;
}

at::Tensor slope_of(const at::Tensor& value) {
  return random(value.sizes().vec(), 99).to(value.scalar_type());
}

double error(const at::Tensor& actual, const at::Tensor& expected) {
  if (!actual.isfinite().all().item<bool>()) return INFINITY;
  const double largest = expected.abs().max().item<double>();
  return (actual.to(at::kDouble) - expected).abs().max().item<double>() / std::max(largest, 1e-3);
}

}  // namespace plumb::test
