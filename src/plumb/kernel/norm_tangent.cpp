#include "plumb/kernel/norm_tangent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/norm_tangent.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

/// Numbers of a row, and what they make of its elements.
struct TangentRow {
  const float *x, *dot_x;
  Vector mean, rstd, dot_mean, turn;  // turn = <h x'>

  template <class Part>
  HWY_INLINE Vector h(Part part, int64_t i) const {
    return hn::Mul(hn::Sub(part.load(x + i), mean), rstd);
  }
  template <class Part>
  HWY_INLINE Vector dot_h(Part part, int64_t i, Vector h) const {
    return hn::Mul(hn::Sub(hn::Sub(part.load(dot_x + i), dot_mean), hn::Mul(h, turn)), rstd);
  }
};

template <bool kCentred>
HWY_INLINE TangentRow tangent_row(const NormTangentTerms& t, int64_t row) {
  const Tag d;
  const int64_t n = t.width;
  const auto count = static_cast<float>(n);
  TangentRow r{t.x + row * n, t.dot_x + row * n, hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  if constexpr (kCentred) {
    float sum, dot_sum;
    sums_over(n, sum, dot_sum, [&](auto part, int64_t i, Vector& s, Vector& m) {
      s = hn::Add(s, part.load(r.x + i));
      m = hn::Add(m, part.load(r.dot_x + i));
    });
    r.mean = hn::Set(d, sum / count);
    r.dot_mean = hn::Set(d, dot_sum / count);
  }
  float left, squares;
  sums_over(n, left, squares, [&](auto part, int64_t i, Vector& l, Vector& s) {
    const Vector c = part.only(hn::Sub(part.load(r.x + i), r.mean));
    l = hn::Add(l, c);
    s = hn::MulAdd(c, c, s);
  });
  float variance = squares / count;
  if constexpr (kCentred) {  // as in layer_row(): the first mean may be off
    const float shift = left / count;
    variance -= shift * shift;
    r.mean = hn::Add(r.mean, hn::Set(d, shift));
  }
  r.rstd = hn::Set(d, 1 / std::sqrt((variance < 0 ? 0 : variance) + t.norm.eps));
  const float turn = sum_over(
      n, [&](auto part, int64_t i, Vector& s) { s = hn::MulAdd(part.only(r.h(part, i)), part.load(r.dot_x + i), s); });
  r.turn = hn::Set(d, turn / count);
  return r;
}

template <bool kCentred>
HWY_INLINE void forward_rows(const NormTangentForward& call, int64_t begin, int64_t end) {
  const NormTangentTerms& t = call.terms;
  for (int64_t row = begin; row < end; ++row) {
    const TangentRow r = tangent_row<kCentred>(t, row);
    float *const y = call.y + row * t.width, *const dot_y = call.dot_y + row * t.width;
    sweep(t.width, [&](auto part, int64_t i) {
      const Vector h = r.h(part, i), w = part.load(t.norm.weight + i);
      Vector value = hn::Mul(h, w), tangent = hn::Mul(r.dot_h(part, i, h), w);
      if constexpr (kCentred) value = hn::Add(value, part.load(t.norm.bias + i));
      if (t.dot_weight) tangent = hn::MulAdd(h, part.load(t.dot_weight + i), tangent);
      if (t.dot_bias) tangent = hn::Add(tangent, part.load(t.dot_bias + i));
      part.store(value, y + i);
      part.store(tangent, dot_y + i);
    });
  }
}

template <bool kCentred>
HWY_INLINE void backward_row(const NormTangentBackward& call, int64_t row) {
  const Tag d;
  const NormTangentTerms& t = call.terms;
  const int64_t n = t.width;
  const auto count = static_cast<float>(n);
  const TangentRow r = tangent_row<kCentred>(t, row);
  const float *const slope = element(call.dy, row * n), *const dot_slope = call.dy_dot + row * n;
  const auto a = [&](auto part, int64_t i) { return hn::Mul(part.load(dot_slope + i), part.load(t.norm.weight + i)); };
  const auto b = [&](auto part, int64_t i) {
    Vector sum = hn::Zero(d);
    if (slope) sum = hn::Mul(part.load(slope + i), part.load(t.norm.weight + i));
    if (t.dot_weight) sum = hn::MulAdd(part.load(dot_slope + i), part.load(t.dot_weight + i), sum);
    return sum;
  };
  float a_h, a_dot_h, b_h, sum_a = 0, sum_b = 0;
  sums_over(n, a_h, a_dot_h, [&](auto part, int64_t i, Vector& s, Vector& q) {
    const Vector h = r.h(part, i), one = a(part, i);
    s = hn::MulAdd(one, h, s);
    q = hn::MulAdd(one, r.dot_h(part, i, h), q);
  });
  b_h = sum_over(n, [&](auto part, int64_t i, Vector& s) { s = hn::MulAdd(b(part, i), r.h(part, i), s); });
  if constexpr (kCentred) {
    sums_over(n, sum_a, sum_b, [&](auto part, int64_t i, Vector& s, Vector& q) {
      s = hn::Add(s, a(part, i));
      q = hn::Add(q, b(part, i));
    });
  }
  const Vector mean_a = hn::Set(d, sum_a / count), mean_b = hn::Set(d, sum_b / count),
               mean_ah = hn::Set(d, a_h / count), mean_ah_dot = hn::Set(d, a_dot_h / count),
               mean_bh = hn::Set(d, b_h / count);
  float *const dx = call.dx + row * n, *const dx_dot = call.dx_dot + row * n;
  sweep(n, [&](auto part, int64_t i) {
    const Vector h = r.h(part, i), dot_h = r.dot_h(part, i, h);
    const Vector to_dot = hn::Mul(r.rstd, hn::NegMulAdd(h, mean_ah, hn::Sub(a(part, i), mean_a)));
    Vector to_x = hn::NegMulAdd(h, hn::Add(mean_bh, mean_ah_dot), hn::Sub(b(part, i), mean_b));
    to_x = hn::NegMulAdd(r.turn, to_dot, to_x);
    to_x = hn::NegMulAdd(mean_ah, dot_h, to_x);
    part.store(hn::Mul(r.rstd, to_x), dx + i);
    part.store(to_dot, dx_dot + i);
    const Vector u = part.load(dot_slope + i), w = slope ? part.load(slope + i) : hn::Zero(d);
    if (call.gradients.weight) add_to(part, call.gradients.weight + i, hn::MulAdd(w, h, hn::Mul(u, dot_h)));
    if (call.gradients.bias && slope) add_to(part, call.gradients.bias + i, w);
  });
}

template <bool kCentred>
HWY_INLINE void backward_rows(const NormTangentBackward& call, int64_t begin, int64_t end) {
  clear_norm_gradients(call.terms.norm, call.gradients, call.terms.width);
  for (int64_t row = begin; row < end; ++row) backward_row<kCentred>(call, row);
}

}  // namespace

HWY_FLATTEN void norm_tangent_forward_target(const NormTangentForward& call, int64_t begin, int64_t end) {
  if (call.terms.norm.kind == NormKind::Layer) return forward_rows<true>(call, begin, end);
  forward_rows<false>(call, begin, end);
}

HWY_FLATTEN void norm_tangent_backward_target(const NormTangentBackward& call, int64_t begin, int64_t end) {
  if (call.terms.norm.kind == NormKind::Layer) return backward_rows<true>(call, begin, end);
  backward_rows<false>(call, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(norm_tangent_forward_target);
HWY_EXPORT(norm_tangent_backward_target);

void norm_tangent_forward(const NormTangentForward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(norm_tangent_forward_target)(call, begin, end);
}

void norm_tangent_backward(const NormTangentBackward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(norm_tangent_backward_target)(call, begin, end);
}

}  // namespace plumb::kernel
#endif
