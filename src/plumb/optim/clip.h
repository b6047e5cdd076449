#pragma once

#include <ATen/core/Tensor.h>

namespace plumb {

/// The Euclidean norm of a flat buffer, summed in double precision in an order of its own: the same bits for any number
/// of threads. Not finite if and only if an element is not (in single precision; a double beyond 1e154 counts as
/// infinite, too): the trainer looks at this number to see that a run has diverged.
double gradient_norm(const at::Tensor& flat);

/// Shrinks the buffer to a norm of `max_norm` if it is longer: g * min(1, max_norm / (norm + 1e-6)), as torch and
/// fairseq do. 0 never shrinks. Returns the norm before; if that is not finite the buffer is left as it is.
double clip_gradients(const at::Tensor& flat, double max_norm);

}  // namespace plumb
