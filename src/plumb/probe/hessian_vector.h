#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "plumb/store/parameter_store.h"

namespace plumb::probe {

/// Adds H v to the store's gradients, H being the Hessian of the loss by the parameters and v a vector laid out as
/// `store.values()` is. Exact: on the fused path it is the gradient of the loss's derivative along v (Pearlmutter's R
/// operator), on the reference path the derivative of gradient . v.
///
/// `loss` computes the loss from the parameters, of ops/ and ATen alone. Returns its derivative along v.
double add_hessian_vector(ParameterStore& store, const at::Tensor& v, const std::function<at::Tensor()>& loss);

}  // namespace plumb::probe
