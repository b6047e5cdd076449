#include "plumb/kernel/adam.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/adam.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

template <AdamStep::Kind kKind>
HWY_INLINE void update(const AdamStep step, float* p, float* g, float* m, float* v, int64_t n) {
  const Tag d;
  const Vector gradient_scale = hn::Set(d, step.gradient_scale), l2 = hn::Set(d, step.l2);
  const Vector shrink = hn::Set(d, step.shrink), size = hn::Set(d, step.size);
  const Vector keep1 = hn::Set(d, step.keep1), take1 = hn::Set(d, step.take1);
  const Vector keep2 = hn::Set(d, step.keep2), take2 = hn::Set(d, step.take2);
  const Vector v_scale = hn::Set(d, step.v_scale), eps = hn::Set(d, step.eps);
  sweep(n, [&](auto part, int64_t i) {
    Vector value = part.load(p + i);
    const Vector gradient = hn::MulAdd(value, l2, hn::Mul(part.load(g + i), gradient_scale));
    value = hn::NegMulAdd(value, shrink, value);
    const Vector mean = hn::MulAdd(part.load(m + i), keep1, hn::Mul(gradient, take1));
    const Vector square = hn::MulAdd(part.load(v + i), keep2, hn::Mul(hn::Mul(gradient, gradient), take2));
    part.store(mean, m + i);
    part.store(square, v + i);
    if (kKind == AdamStep::Kind::Momentum) value = hn::NegMulAdd(mean, size, value);
    if (kKind == AdamStep::Kind::Adaptive) {
      const Vector root = hn::MulAdd(hn::Sqrt(square), v_scale, eps);
      value = hn::Sub(value, hn::Div(hn::Mul(mean, size), root));
    }
    part.store(value, p + i);
    if (step.clears_gradient) part.store(hn::Zero(d), g + i);
  });
}

}  // namespace

HWY_FLATTEN void adam_update_target(const AdamStep& step, float* p, float* g, float* m, float* v, int64_t n) {
  switch (step.kind) {
    case AdamStep::Kind::None:
      return update<AdamStep::Kind::None>(step, p, g, m, v, n);
    case AdamStep::Kind::Momentum:
      return update<AdamStep::Kind::Momentum>(step, p, g, m, v, n);
    case AdamStep::Kind::Adaptive:
      return update<AdamStep::Kind::Adaptive>(step, p, g, m, v, n);
  }
}

/// Eight lanes as vectors of at most eight doubles. A square of floats is exact in double, so whether a target fuses
/// the addition to it makes no difference.
HWY_FLATTEN double sum_of_squares_target(const float* x, int64_t n) {
  constexpr int64_t kLanes = 8;
  double lanes[kLanes] = {};
  const int64_t whole = n - n % kLanes;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<double, kLanes> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  using V = hn::Vec<decltype(d)>;
  const auto wide = [&](int64_t i) { return hn::PromoteTo(d, hn::LoadU(half, x + i)); };
  // Four vectors suffice for targets of two doubles; those of four need two of them, those of eight one.
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (int64_t i = 0; i < whole; i += kLanes) {
    const V v0 = wide(i);
    s0 = hn::MulAdd(v0, v0, s0);
    if (step < 8) {
      const V v1 = wide(i + step);
      s1 = hn::MulAdd(v1, v1, s1);
    }
    if (step < 4) {
      const V v2 = wide(i + 2 * step), v3 = wide(i + 3 * step);
      s2 = hn::MulAdd(v2, v2, s2);
      s3 = hn::MulAdd(v3, v3, s3);
    }
  }
  hn::StoreU(s0, d, lanes);
  if (step < 8) hn::StoreU(s1, d, lanes + step);
  if (step < 4) {
    hn::StoreU(s2, d, lanes + 2 * step);
    hn::StoreU(s3, d, lanes + 3 * step);
  }
#else
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(x[i + lane]);
    }
  }
#endif
  for (int64_t i = whole; i < n; ++i) lanes[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(adam_update_target);
HWY_EXPORT(sum_of_squares_target);

void adam_update(const AdamStep& step, float* p, float* g, float* m, float* v, int64_t begin, int64_t end) {
  if (begin >= end) return;
  HWY_DYNAMIC_DISPATCH(adam_update_target)(step, p + begin, g + begin, m + begin, v + begin, end - begin);
}

double sum_of_squares(const float* x, int64_t begin, int64_t end) {
  return begin >= end ? 0 : HWY_DYNAMIC_DISPATCH(sum_of_squares_target)(x + begin, end - begin);
}

}  // namespace plumb::kernel
#endif
