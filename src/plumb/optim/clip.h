#pragma once

#include <ATen/core/Tensor.h>

namespace plumb {

/// The Euclidean norm of a flat buffer, summed in double precision in an order of its own: the same bits for any number
/// of threads. Not finite if and only if an element is not (in single precision; a double beyond 1e154 counts as
/// infinite, too): the trainer looks at this number to see that a run has diverged.
double gradient_norm(const at::Tensor& flat);

/// What a gradient of this norm is multiplied by so that it is no longer than `max_norm`: min(1, max_norm / (norm +
/// 1e-6)), as torch and fairseq do. 1 if `max_norm` is 0 or the norm is not finite.
double clip_factor(double norm, double max_norm);

}  // namespace plumb
