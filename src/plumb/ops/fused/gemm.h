#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace plumb::ops {

/// A matrix of floats, row by row: element (i, j) is data[i * stride + j], or data[j * stride + i] if `transposed`.
struct Operand {
  const float* data;
  int64_t stride;
  bool transposed = false;
  /// Weights, which stay as they are while a PanelScope lives.
  bool lasting = false;
};

/// c = a b + beta c for a [m, k], b [k, n] and c [m, n], whose rows are `c_stride` apart.
struct Product {
  int64_t m, n, k;
  Operand a, b;
  float beta;
  float* c;
  int64_t c_stride;
};

/// Computes independent products, at the same time if there are threads for it.
///
/// Each is cut into blocks by its shape alone, and a block is one call on one thread: of our own kernel if there are
/// many rows, else of the BLAS. So the bits do not depend on the number of threads, which those of a threaded BLAS do.
void multiply(std::span<const Product> products);

/// While it lives, `lasting` operands b are packed once and kept so: for many products with the same weights, such as
/// the steps of a search. The weights must not change meanwhile. It takes as much memory as the weights do.
class PanelScope {
 public:
  PanelScope();
  ~PanelScope();
  PanelScope(const PanelScope&) = delete;
  PanelScope& operator=(const PanelScope&) = delete;

  struct Kept;

 private:
  std::unique_ptr<Kept> kept_;
  Kept* outer_;
};

}  // namespace plumb::ops
