#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

/// Random inputs, and tensors as plain rows of doubles, which is what oracles compute with.
namespace plumb::test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

/// Normal numbers in double, a pure function of shape and seed.
at::Tensor random(const std::vector<int64_t>& shape, uint64_t seed);

/// A [N, D] tensor of any type as rows; [D] is one row.
Rows rows_of(const at::Tensor& x);
at::Tensor tensor_of(const Rows& rows);

/// The numbers of an int64 tensor.
std::vector<int64_t> values(const at::Tensor& ids);

/// The largest difference of two elements, divided by the largest element if that is above 1.
double difference(const at::Tensor& actual, const Rows& expected);

}  // namespace plumb::test
