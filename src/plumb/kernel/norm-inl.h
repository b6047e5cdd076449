// Norms of one row, to be fused into kernels. Included once for each target, hence no pragma.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "plumb/kernel/norm.h"

#if defined(PLUMB_KERNEL_NORM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_NORM_INL_H
#undef PLUMB_KERNEL_NORM_INL_H
#else
#define PLUMB_KERNEL_NORM_INL_H
#endif

#include <hwy/highway.h>

#include "plumb/kernel/exp-inl.h"
#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

struct RowStats {
  float mean = 0, rstd = 0;
};

/// The variance around a first mean, which the same sweep corrects: a sum of n floats may miss the mean by more than
/// the deviation if the mean is large, and the sum of what is left of them does not.
HWY_INLINE RowStats layer_row(const NormTerms norm, const float* x, float* y, int64_t n) {
  const Tag d;
  const auto count = static_cast<float>(n);
  const float first = sum_over(n, [&](auto part, int64_t i, Vector& s) { s = hn::Add(s, part.load(x + i)); }) / count;
  const Vector centre = hn::Set(d, first);
  float left, squares;
  sums_over(n, left, squares, [&](auto part, int64_t i, Vector& l, Vector& s) {
    const Vector c = part.only(hn::Sub(part.load(x + i), centre));
    l = hn::Add(l, c);
    s = hn::MulAdd(c, c, s);
  });
  const float shift = left / count, variance = squares / count - shift * shift;
  const float rstd = 1 / std::sqrt((variance < 0 ? 0 : variance) + norm.eps);  // a NaN stays one
  const Vector correction = hn::Set(d, shift), scale = hn::Set(d, rstd);
  sweep(n, [&](auto part, int64_t i) {
    const Vector c = hn::Sub(hn::Sub(part.load(x + i), centre), correction);
    part.store(hn::MulAdd(hn::Mul(c, scale), part.load(norm.weight + i), part.load(norm.bias + i)), y + i);
  });
  return {first + shift, rstd};
}

HWY_INLINE float row_squares(const float* x, int64_t n) {
  return sum_over(n, [&](auto part, int64_t i, Vector& s) {
    const Vector v = part.load(x + i);
    s = hn::MulAdd(v, v, s);
  });
}

HWY_INLINE RowStats rms_row(const NormTerms norm, const float* x, float* y, int64_t n) {
  const float rstd = 1 / std::sqrt(row_squares(x, n) / static_cast<float>(n) + norm.eps);
  const Vector scale = hn::Set(Tag(), rstd);
  sweep(n, [&](auto part, int64_t i) {
    part.store(hn::Mul(hn::Mul(part.load(x + i), scale), part.load(norm.weight + i)), y + i);
  });
  return {0, rstd};
}

HWY_INLINE RowStats scale_row(const NormTerms norm, const float* x, float* y, int64_t n) {
  const float length = std::sqrt(row_squares(x, n));
  const float rstd = 1 / (length < norm.eps ? norm.eps : length);
  const Vector scale = hn::Set(Tag(), rstd), weight = hn::Set(Tag(), *norm.weight);
  sweep(n, [&](auto part, int64_t i) { part.store(hn::Mul(hn::Mul(part.load(x + i), scale), weight), y + i); });
  return {0, rstd};
}

// Not inline: a call does not matter beside it, and every kernel that has a norm compiles sooner.
inline HWY_NOINLINE HWY_FLATTEN RowStats dyt_row(const NormTerms norm, const float* x, float* y, int64_t n) {
  const Tag d;
  const Vector alpha = hn::Set(d, *norm.alpha);
  sweep(n, [&](auto part, int64_t i) {
    Vector t, slope;
    tanh_and_slope(d, hn::Mul(part.load(x + i), alpha), t, slope);
    part.store(hn::MulAdd(t, part.load(norm.weight + i), part.load(norm.bias + i)), y + i);
  });
  return {};
}

/// y = norm(x); y may be x.
HWY_INLINE RowStats norm_row(const NormTerms norm, const float* x, float* y, int64_t n) {
  switch (norm.kind) {
    case NormKind::Layer:
      return layer_row(norm, x, y, n);
    case NormKind::Rms:
      return rms_row(norm, x, y, n);
    case NormKind::Scale:
      return scale_row(norm, x, y, n);
    case NormKind::Dyt:
      return dyt_row(norm, x, y, n);
  }
  return {};
}

HWY_INLINE void keep_stats(const NormStats& stats, int64_t row, const RowStats& of_row) {
  if (stats.mean) stats.mean[row] = of_row.mean;
  if (stats.rstd) stats.rstd[row] = of_row.rstd;
}

HWY_INLINE RowStats kept_stats(const NormStats& stats, int64_t row) {
  return {stats.mean ? stats.mean[row] : 0, stats.rstd ? stats.rstd[row] : 0};
}

HWY_INLINE void clear_norm_gradients(const NormTerms& norm, const NormGradients& gradients, int64_t n) {
  if (gradients.weight) std::fill_n(gradients.weight, norm.kind == NormKind::Scale ? 1 : n, 0.0F);
  if (gradients.bias) std::fill_n(gradients.bias, n, 0.0F);
  if (gradients.alpha) *gradients.alpha = 0;
}

/// One row of the backward pass. Pointers are to the row's elements; `extra` and the gradients may be null.
struct NormBackwardRow {
  NormTerms norm;
  NormSide side;
  NormGradients gradients;  // added to
  const float* saved;
  const float* dy;
  const float* extra;
  float* dx;
  RowStats stats;
  int64_t n;
};

template <class Part>
HWY_INLINE void finish_norm_backward(const NormBackwardRow& row, Part part, int64_t i, Vector dx) {
  part.store(row.extra ? hn::Add(dx, part.load(row.extra + i)) : dx, row.dx + i);
}

/// dx = rstd (w dy - mean(w dy) - h mean(w dy h)), h = (x - mean) rstd = (y - b) / w. Rms lacks the first mean.
template <bool kCentred, NormSide kSide>
HWY_INLINE void standard_row_backward(const NormBackwardRow& row) {
  const Tag d;
  const float *w = row.norm.weight, *b = row.norm.bias;
  const Vector mean = hn::Set(d, row.stats.mean), rstd = hn::Set(d, row.stats.rstd);
  const auto centred = [&](auto part, int64_t i) {  // h / rstd or h w: what needs no division
    const Vector s = part.load(row.saved + i);
    if constexpr (!kCentred) return s;
    if constexpr (kSide == NormSide::Output) return hn::Sub(s, part.load(b + i));
    return hn::Sub(s, mean);
  };
  float sum, dot;
  sums_over(row.n, sum, dot, [&](auto part, int64_t i, Vector& s, Vector& t) {
    const Vector g = part.load(row.dy + i), gw = hn::Mul(g, part.load(w + i));
    if constexpr (kCentred) s = hn::Add(s, gw);
    t = hn::MulAdd(kSide == NormSide::Output ? g : gw, centred(part, i), t);
  });
  const auto count = static_cast<float>(row.n);
  const Vector first = hn::Set(d, sum / count);
  const Vector second = hn::Set(d, (kSide == NormSide::Output ? dot : dot * row.stats.rstd) / count);
  sweep(row.n, [&](auto part, int64_t i) {
    const Vector g = part.load(row.dy + i), weight = part.load(w + i), c = centred(part, i);
    const Vector h = kSide == NormSide::Output ? hn::Div(c, weight) : hn::Mul(c, rstd);
    if (row.gradients.weight) add_to(part, row.gradients.weight + i, hn::Mul(g, h));
    if (kCentred && row.gradients.bias) add_to(part, row.gradients.bias + i, g);
    Vector inner = hn::NegMulAdd(h, second, hn::Mul(g, weight));
    if constexpr (kCentred) inner = hn::Sub(inner, first);
    finish_norm_backward(row, part, i, hn::Mul(inner, rstd));
  });
}

/// dx = w rstd (dy - h sum(dy h)), h = x rstd = y / w. Where the floor holds the length is a constant: no second term.
HWY_INLINE void scale_row_backward(const NormBackwardRow& row) {
  const Tag d;
  const float weight = *row.norm.weight, rstd = row.stats.rstd;
  const float to_h = row.side == NormSide::Output ? 1 / weight : rstd;
  const float dot = to_h * sum_over(row.n, [&](auto part, int64_t i, Vector& s) {
                      s = hn::MulAdd(part.load(row.dy + i), part.load(row.saved + i), s);
                    });
  if (row.gradients.weight) *row.gradients.weight += dot;
  const bool floored = rstd >= 1 / row.norm.eps;
  const Vector factor = hn::Set(d, weight * rstd), along = hn::Set(d, floored ? 0 : weight * rstd * dot * to_h);
  sweep(row.n, [&](auto part, int64_t i) {
    const Vector dx = hn::NegMulAdd(part.load(row.saved + i), along, hn::Mul(part.load(row.dy + i), factor));
    finish_norm_backward(row, part, i, dx);
  });
}

inline HWY_NOINLINE HWY_FLATTEN void dyt_row_backward(const NormBackwardRow row) {
  const Tag d;
  const Vector alpha = hn::Set(d, *row.norm.alpha);
  Vector dalpha = hn::Zero(d);
  sweep(row.n, [&](auto part, int64_t i) {
    const Vector x = part.load(row.saved + i), g = part.load(row.dy + i);
    Vector t, slope;
    tanh_and_slope(d, hn::Mul(x, alpha), t, slope);
    if (row.gradients.weight) add_to(part, row.gradients.weight + i, hn::Mul(g, t));
    if (row.gradients.bias) add_to(part, row.gradients.bias + i, g);
    const Vector inner = hn::Mul(hn::Mul(g, part.load(row.norm.weight + i)), slope);
    dalpha = hn::MulAdd(inner, x, dalpha);
    finish_norm_backward(row, part, i, hn::Mul(inner, alpha));
  });
  if (row.gradients.alpha) *row.gradients.alpha += hn::GetLane(hn::SumOfLanes(d, dalpha));
}

HWY_INLINE void norm_row_backward(const NormBackwardRow& row) {
  const bool from_output = row.side == NormSide::Output;
  switch (row.norm.kind) {
    case NormKind::Layer:
      return from_output ? standard_row_backward<true, NormSide::Output>(row)
                         : standard_row_backward<true, NormSide::Input>(row);
    case NormKind::Rms:
      return from_output ? standard_row_backward<false, NormSide::Output>(row)
                         : standard_row_backward<false, NormSide::Input>(row);
    case NormKind::Scale:
      return scale_row_backward(row);
    case NormKind::Dyt:
      return dyt_row_backward(row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_NORM_INL_H
