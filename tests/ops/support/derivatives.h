#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace plumb::test {

/// An op as a function of the tensors that it is differentiated by, all double.
struct DerivativeCase {
  std::string name;
  std::vector<at::Tensor> inputs;
  std::function<at::Tensor(const std::vector<at::Tensor>&)> op;
};

/// The worst relative error of autograd's gradient of a scalar made of the op's output, over all coordinates of all
/// inputs, against a five-point stencil.
double gradient_error(const DerivativeCase& which);

/// The same for the product of the Hessian with a random vector, against a five-point stencil of the gradient.
double hessian_error(const DerivativeCase& which);

}  // namespace plumb::test
