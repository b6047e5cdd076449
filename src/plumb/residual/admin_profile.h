#pragma once

#include "plumb/catalogue/terms.h"
#include "plumb/store/parameter_store.h"

namespace plumb {

/// Admin's profiling (Liu et al. 2020), in the order of the authors' code: during one forward pass, each sub-layer's
/// omega is set to w just before it is used, and w then becomes sqrt(Var(omega x) + Var(a)). Each stack has its own
/// chain, starting at w = 1. Variances are of the population of all elements.
///
/// The paper's formula, taken literally, would start with omega = 0; the code counts the embedding's variance in.
class AdminProfile {
 public:
  void measure(Stack stack, const Parameter& omega, const at::Tensor& x, const at::Tensor& branch);

 private:
  double next_[2] = {1, 1};
};

}  // namespace plumb
