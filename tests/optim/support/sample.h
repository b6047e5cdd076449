#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "plumb/optim/optimiser.h"
#include "plumb/store/parameter_store.h"

/// What the tests of optim/ share: a store with gaps, gradients for it, and both as plain numbers.
namespace plumb::test {

/// Three blocks whose sizes leave gaps; `rows` of the middle one decide how long the buffer is.
struct Sample {
  ParameterStore store;

  explicit Sample(at::ScalarType dtype = at::kDouble, int64_t rows = 7);

  /// The gradients of update `t`: other ones each time, of very different sizes, every seventh zero.
  void set_gradients(int64_t t);
  /// The elements of the parameters without the gaps, in order.
  std::vector<double> values() const { return elements(store.values()); }
  std::vector<double> gradients() const { return elements(store.gradients()); }
  /// The largest absolute value in the gaps of a buffer of this layout; NaN if one is NaN.
  double in_gaps(const at::Tensor& buffer) const;

 private:
  std::vector<double> elements(const at::Tensor& buffer) const;
};

/// Both within `tolerance`, relative to 1 or to the number.
void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance);

/// What one rounding after another may add up to in a few updates.
inline double tolerance_of(at::ScalarType dtype) {
  return dtype == at::kDouble ? 1e-14 : 2e-6;
}

}  // namespace plumb::test
