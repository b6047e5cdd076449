#pragma once

#include <cstdint>

#include "plumb/catalogue/terms.h"

namespace plumb::kernel {

/// Label-smoothed cross-entropy as ops/cross_entropy.h defines it, of the rows of [N, V].
struct CrossEntropyTerms {
  int64_t words = 0;                 // V
  const int64_t* targets = nullptr;  // [N], each in 0 .. V - 1
  double eps = 0;
  SmoothingOver over = SmoothingOver::All;
  double* smoothed = nullptr;  // [N] or null: what is minimised
  double* nll = nullptr;       // [N] or null: -log p of the target
};

/// The losses of the rows begin .. end - 1; the logits are only read.
void cross_entropy_losses(const CrossEntropyTerms& terms, const float* logits, int64_t begin, int64_t end);

/// The losses, and each row of logits becomes `scale` times the gradient of its smoothed loss, p - q with q the
/// smoothed target.
void cross_entropy_gradient(const CrossEntropyTerms& terms, float* logits, float scale, int64_t begin, int64_t end);

/// The losses, and their tangents from those of the logits l: with p the softmax and q the smoothed target,
///
///     smoothed' = sum over the words of (p - q) l'
///
/// Then each row of logits becomes p - q, the slope of that by l', and each row of tangents p (l' - sum of p l'), its
/// slope by l.
void cross_entropy_tangent(const CrossEntropyTerms& terms, float* logits, float* dot_logits, double* dot_smoothed,
                           int64_t begin, int64_t end);

}  // namespace plumb::kernel
