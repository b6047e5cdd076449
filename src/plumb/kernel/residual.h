#pragma once

#include <cstdint>

#include "plumb/kernel/norm.h"
#include "plumb/kernel/philox.h"
#include "plumb/kernel/row_names.h"

namespace plumb::kernel {

/// A factor of the residual equation: one number, or one for each column if `values` is given.
struct Gain {
  float value = 1;
  const float* values = nullptr;  // [D]
};

/// The residual equation of residual/residual.h from the branch's output on, in one pass over each row:
///
///     a  = dropout(f + bias)
///     z  = beta (r x + g a) + alpha bottom
///     y  = norm(z)
struct ResidualTerms {
  const float* bias = nullptr;          // [D] of the projection that made f, or null: then it needs no pass of its own
  const DropoutKey* dropout = nullptr;  // null: nothing is dropped
  Gain r = {}, g = {};
  float beta = 1, alpha = 0;        // without a bottom alpha is not looked at
  const NormTerms* norm = nullptr;  // null: y = z
};

struct ResidualForward {
  ResidualTerms terms;
  RowNames names = {};  // not looked at without dropout
  int64_t width = 0;    // D
  const float* f = nullptr;
  const float* x = nullptr;       // null: no such term
  const float* bottom = nullptr;  // null: no such term
  float* z = nullptr;             // null: not wanted, if there is a norm; may be f or x
  float* y = nullptr;             // null without a norm; may be f, x or z
  NormStats stats = {};           // of the norm
};

/// The rows begin .. end - 1. What the backward pass needs is y and `rstd` (or z, `mean` and `rstd`: NormSide says when
/// y will do), x if r is learned and f if g is. Nothing of dropout is kept: its key gives it again.
///
/// Norm z for the next sub-layer and keep z as well, and this is the sum of a Pre-LN layer with the norm that follows.
void residual_forward(const ResidualForward& call, int64_t begin, int64_t end);

/// Sums over the rows of a call, which are written, not added to (see partial_sums.h). Null: not wanted.
struct ResidualGradients {
  float* bias = nullptr;    // [D]
  float* r = nullptr;       // [D], or [1] if r is one number
  float* g = nullptr;       // [D], or [1] if g is one number
  NormGradients norm = {};  // of the norm
};

struct ResidualBackward {
  ResidualTerms terms;
  RowNames names = {};
  int64_t width = 0;
  NormSide side = NormSide::Input;
  const float* saved = nullptr;  // z or y; not looked at without a norm
  NormStats stats = {};
  const float* f = nullptr;   // for gradients.g
  const float* x = nullptr;   // for gradients.r
  const float* dy = nullptr;  // of y; of z without a norm
  const float* dz = nullptr;  // what flows into z another way, or null
  float* df = nullptr;        // null: not wanted. Not all three are null; they may be dy or dz, but not f or x.
  float* dx = nullptr;
  float* dbottom = nullptr;
  ResidualGradients gradients = {};
};

void residual_backward(const ResidualBackward& call, int64_t begin, int64_t end);

}  // namespace plumb::kernel
