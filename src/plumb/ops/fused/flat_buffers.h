#pragma once

#include <ATen/core/Tensor.h>

#include "plumb/kernel/adam.h"

namespace plumb::ops {

/// The kernels of the flat buffers that a parameter store and its optimiser have, on tensors. optim/ has the reference.

/// One update of all elements of p: contiguous floats of the CPU, of one length.
void adam_update(const kernel::AdamStep& step, const at::Tensor& p, const at::Tensor& g, const at::Tensor& m,
                 const at::Tensor& v);

/// The sum of the squares of contiguous floats of the CPU, in double, in an order that no number of threads changes.
double sum_of_squares(const at::Tensor& flat);

}  // namespace plumb::ops
