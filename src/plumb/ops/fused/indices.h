#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace plumb::ops {

/// Fails unless `indices` are int64, contiguous, of the CPU and all in 0 .. count - 1: a kernel would read beyond its
/// table.
void check_indices(const at::Tensor& indices, int64_t count, const char* what);

}  // namespace plumb::ops
