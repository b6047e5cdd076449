#include "plumb/residual/admin_profile.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace plumb {
namespace {

double variance(const at::Tensor& x) {
  return x.to(at::kDouble).var(/*unbiased=*/false).item<double>();
}

}  // namespace

void AdminProfile::measure(Stack stack, const Parameter& omega, const at::Tensor& x, const at::Tensor& branch) {
  at::NoGradGuard no_grad;
  double& w = next_[static_cast<size_t>(stack)];
  omega->detach().fill_(w);
  w = std::sqrt(w * w * variance(x) + variance(branch));
}

}  // namespace plumb
