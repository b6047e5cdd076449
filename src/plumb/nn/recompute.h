#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

namespace plumb {

/// f(x, memory), of which nothing but x and memory is kept: the backward pass computes it again. A third more time for
/// a fraction of the memory. f must give the same result twice, which it does because dropout is a function of names.
/// `memory` may be undefined.
using LayerFunction = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& memory)>;
at::Tensor recomputed(const LayerFunction& f, const at::Tensor& x, const at::Tensor& memory);

}  // namespace plumb
