#pragma once

#include <cstdint>

#include "plumb/catalogue/terms.h"

namespace plumb::kernel {

/// A norm as ops/norm.h defines it. Layer has `weight` and `bias`, rms has `weight`, scale has `weight` [1], dyt has
/// `weight`, `bias` and `alpha` [1]; the rest is not looked at.
struct NormTerms {
  NormKind kind = NormKind::Layer;
  float eps = 0;
  const float* weight = nullptr;  // [D]
  const float* bias = nullptr;    // [D]
  const float* alpha = nullptr;   // [1]
};

/// What the backward pass wants to know of each row. Layer has both, rms and scale have `rstd` (of scale it is
/// 1 / max(|x|, eps)), dyt has none. Null: not wanted.
struct NormStats {
  float* mean = nullptr;  // [N]
  float* rstd = nullptr;  // [N]
};

struct NormForward {
  NormTerms norm;
  int64_t width = 0;         // D
  const float* x = nullptr;  // [N, D]
  float* y = nullptr;        // [N, D]; may be x
  NormStats stats = {};
};

/// y = norm(x) for the rows begin .. end - 1.
void norm_forward(const NormForward& call, int64_t begin, int64_t end);

/// Which side of the norm the backward pass reads: its input x or its output y.
///
/// The output saves memory where x has no other use, as after the sum of a Post-LN layer: y is the input of the next
/// sub-layer and stays anyway. (y - bias) / weight gives the normalised row back, if norm_is_invertible(); dyt needs x.
enum class NormSide { Input, Output };

/// Whether the output gives the normalised row back to about 2e-6: no weight is zero or small beside its bias.
bool norm_is_invertible(const NormTerms& norm, int64_t width);

/// Sums over the rows of a call, which are written, not added to (see partial_sums.h). Null: not wanted.
struct NormGradients {
  float* weight = nullptr;  // [D], scale [1]
  float* bias = nullptr;    // [D]
  float* alpha = nullptr;   // [1]
};

struct NormBackward {
  NormTerms norm;
  NormSide side = NormSide::Input;
  int64_t width = 0;             // D
  const float* saved = nullptr;  // x or y [N, D]
  NormStats stats = {};
  const float* dy = nullptr;  // [N, D]
  const float* extra =
      nullptr;          // [N, D] or null: what flows into x another way, so that Pre-LN needs no pass to add it
  float* dx = nullptr;  // [N, D]; may be dy or extra
  NormGradients gradients = {};
};

/// dx = (d norm / d x)^T dy + extra for the rows begin .. end - 1.
void norm_backward(const NormBackward& call, int64_t begin, int64_t end);

}  // namespace plumb::kernel
