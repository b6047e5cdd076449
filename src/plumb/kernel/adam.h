#pragma once

#include <cstdint>

namespace plumb::kernel {

/// One update of Adam, AdamW or RAdam (optim/adam.h has the formulas) as a function of each element:
///
///     g' = gradient_scale g + l2 p        p -= shrink p
///     m  = keep1 m + take1 g'             v  = keep2 v + take2 g'^2
///     p -= size m / (v_scale sqrt(v) + eps)                  Adaptive
///     p -= size m                                            Momentum
///
/// The decays look at p before the update. fairseq's eps: v_scale 1, and sqrt(1 - b2^t) is part of the size; torch's:
/// v_scale = 1 / sqrt(1 - b2^t).
struct AdamStep {
  enum class Kind { None, Momentum, Adaptive } kind = Kind::Adaptive;  // None: only the moments change
  float gradient_scale = 1;                                            // 1 / tokens and clipping
  float l2 = 0;
  float shrink = 0;  // lr * decoupled decay
  float keep1 = 0.9F, take1 = 0.1F;
  float keep2 = 0.98F, take2 = 0.02F;
  float size = 0;
  float v_scale = 1;
  float eps = 0;
  bool clears_gradient = false;  // g becomes 0, so that the next update needs no pass for that
};

/// Elements begin .. end - 1 of flat buffers: the moments m (of g) and v (of g^2), the gradient g and the parameters p.
void adam_update(const AdamStep& step, float* p, float* g, float* m, float* v, int64_t begin, int64_t end);

/// The sum of x[i]^2 over begin .. end - 1, in double precision. The lanes of the sum are the same eight on every
/// machine, so its bits depend on the range only: sum ranges of a fixed length one after the other.
double sum_of_squares(const float* x, int64_t begin, int64_t end);

}  // namespace plumb::kernel
