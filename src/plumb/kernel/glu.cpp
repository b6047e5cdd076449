#include "plumb/kernel/glu.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/glu.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/exp-inl.h"
#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

/// sigmoid(x) and its slope, both with all their digits where they are small: the larger one of sigmoid(x) and
/// sigmoid(-x) is 1 / (1 + e^-|x|), the other is e^-|x| times it.
HWY_INLINE Vector sigmoid(Vector x, Vector& slope) {
  const Tag d;
  const Vector one = hn::Set(d, 1.0F);
  const Vector e = exp_negative(d, hn::Neg(hn::Abs(x)));
  const Vector larger = hn::Div(one, hn::Add(one, e)), smaller = hn::Mul(e, larger);
  slope = hn::Mul(larger, smaller);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), smaller, larger);
}

template <class Part>
HWY_INLINE Vector load_biased(Part part, const float* in, const float* bias, int64_t i) {
  return bias ? hn::Add(part.load(in + i), part.load(bias + i)) : part.load(in + i);
}

}  // namespace

HWY_FLATTEN void glu_forward_target(const GluForward& call, int64_t begin, int64_t end) {
  const int64_t n = call.width;
  for (int64_t row = begin; row < end; ++row) {
    const float* in = call.in + 2 * row * n;
    float* out = call.out + row * n;
    sweep(n, [&](auto part, int64_t i) {
      Vector slope;
      const Vector a = load_biased(part, in, call.bias, i);
      part.store(hn::Mul(a, sigmoid(load_biased(part, in, call.bias, n + i), slope)), out + i);
    });
  }
}

HWY_FLATTEN void glu_backward_target(const GluBackward& call, int64_t begin, int64_t end) {
  const int64_t n = call.width;
  if (call.dbias) std::fill_n(call.dbias, 2 * n, 0.0F);
  for (int64_t row = begin; row < end; ++row) {
    const float *in = call.in + 2 * row * n, *dout = call.dout + row * n;
    float* din = call.din + 2 * row * n;
    sweep(n, [&](auto part, int64_t i) {
      Vector slope;
      const Vector a = load_biased(part, in, call.bias, i), g = part.load(dout + i);
      const Vector da = hn::Mul(g, sigmoid(load_biased(part, in, call.bias, n + i), slope));
      const Vector db = hn::Mul(hn::Mul(g, a), slope);
      part.store(da, din + i);
      part.store(db, din + n + i);
      if (!call.dbias) return;
      add_to(part, call.dbias + i, da);
      add_to(part, call.dbias + n + i, db);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(glu_forward_target);
HWY_EXPORT(glu_backward_target);

void glu_forward(const GluForward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(glu_forward_target)(call, begin, end);
}

void glu_backward(const GluBackward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(glu_backward_target)(call, begin, end);
}

}  // namespace plumb::kernel
#endif
