#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "ops/support/derivatives.h"

/// For comparing two ways of computing the cases of cases.h.
namespace plumb::test {

/// The small cases and the large ones, named so.
std::vector<DerivativeCase> small_and_large_cases();

/// Copies that autograd differentiates by.
std::vector<at::Tensor> leaves(const std::vector<at::Tensor>& inputs, at::ScalarType dtype);

/// One random slope for a value.
at::Tensor slope_of(const at::Tensor& value);

/// The largest difference relative to the largest element: the sum of a row may cancel to nothing.
double error(const at::Tensor& actual, const at::Tensor& expected);

}  // namespace plumb::test
