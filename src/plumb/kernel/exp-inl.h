// The exponential of a vector of numbers <= 0, and what is made of it. Included once for each target, hence no pragma.
//
// Highway's own Exp answers 0 to NaN, which would hide a diverged row, and takes twice as long: it scales in two steps
// for the sake of results that are not normal numbers; they are zero here.

#if defined(PLUMB_KERNEL_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_EXP_INL_H
#undef PLUMB_KERNEL_EXP_INL_H
#else
#define PLUMB_KERNEL_EXP_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// x = n log 2 + r with |r| <= log(2) / 2: 2^n and e^r - 1. For x in [-87.3, 0]; of NaN the second is NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void split_exp(D d, V x, V& power, V& minus_one) {
  // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits; with 127 it is an exponent's bits.
  const V magic = hn::Set(d, 12582912.0F + 127);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504F), magic);
  const V n = hn::Sub(shifted, magic);
  power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(hn::RebindToUnsigned<D>(), shifted)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693145752F), x);  // log 2 in two parts: n times the first has no error
  r = hn::NegMulAdd(n, hn::Set(d, 1.42860677e-6F), r);
  // 1 + r + r^2 q(r), q of degree 4 with the least largest relative error, 3e-9.
  V q = hn::MulAdd(r, hn::Set(d, 0.00138144673708F), hn::Set(d, 0.00836878040117F));
  q = hn::MulAdd(q, r, hn::Set(d, 0.041668394207F));
  q = hn::MulAdd(q, r, hn::Set(d, 0.16666520108F));
  q = hn::MulAdd(q, r, hn::Set(d, 0.499999934125F));
  minus_one = hn::MulAdd(hn::Mul(q, r), r, r);
}

/// Below this e^x is not a normal number.
template <class D>
HWY_INLINE auto underflows(D d, hn::Vec<D> x) {
  return hn::Lt(x, hn::Set(d, -87.3F));
}

/// e^x for x <= 0 within 1 ulp, 0 below -87.3. NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_negative(D d, V x) {
  V power, minus_one;
  split_exp(d, x, power, minus_one);
  return hn::IfThenZeroElse(underflows(d, x), hn::MulAdd(power, minus_one, power));
}

/// tanh(x) within 3 ulp and 1 - tanh(x)^2 within 6, which keeps its digits where tanh is 1 to rounding.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void tanh_and_slope(D d, V x, V& tanh, V& slope) {
  const V one = hn::Set(d, 1.0F), two = hn::Set(d, 2.0F);
  V power, minus_one;
  const V u = hn::Mul(hn::Abs(x), hn::Set(d, -2.0F));
  split_exp(d, u, power, minus_one);
  const auto tiny = underflows(d, u);
  const V e = hn::IfThenZeroElse(tiny, hn::MulAdd(power, minus_one, power));                          // e^u
  const V m = hn::IfThenElse(tiny, hn::Neg(one), hn::MulAdd(power, minus_one, hn::Sub(power, one)));  // e^u - 1
  const V half = hn::Div(one, hn::Add(two, m));
  tanh = hn::CopySign(hn::Mul(hn::Neg(m), half), x);
  slope = hn::Mul(hn::Mul(e, hn::Mul(two, half)), hn::Mul(two, half));
}

/// The normal distribution's Phi(x) and phi(x). Relative error below 3e-6 for |x| < 7, of which all but 2e-7 is the
/// rounding of x^2; beyond that Phi(-|x|) is less than 2e-12, and wrong by a part of that.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void normal_distribution(D d, V x, V& Phi, V& phi) {
  const V t = hn::Abs(x);
  const V e = exp_negative(d, hn::Mul(hn::Mul(t, t), hn::Set(d, -0.5F)));
  // Phi(-t) = e^(-t^2/2) s p(s), s = 1 / (1 + 0.29 t): the form of Abramowitz & Stegun 7.1.26, with p of degree 7 that
  // has the least largest relative error on 0 <= t <= 7, 2e-8. 0.29 is where that error is least.
  const V s = hn::Div(hn::Set(d, 1.0F), hn::MulAdd(t, hn::Set(d, 0.29F), hn::Set(d, 1.0F)));
  V p = hn::MulAdd(s, hn::Set(d, 0.0388070226287F), hn::Set(d, -0.189875321226F));
  p = hn::MulAdd(p, s, hn::Set(d, 0.298923027809F));
  p = hn::MulAdd(p, s, hn::Set(d, -0.141394025438F));
  p = hn::MulAdd(p, s, hn::Set(d, 0.177527619753F));
  p = hn::MulAdd(p, s, hn::Set(d, 0.0810768003552F));
  p = hn::MulAdd(p, s, hn::Set(d, 0.11949020997F));
  p = hn::MulAdd(p, s, hn::Set(d, 0.115444656288F));
  const V below = hn::Mul(hn::Mul(p, s), e);
  Phi = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, hn::Sub(hn::Set(d, 1.0F), below));
  phi = hn::Mul(e, hn::Set(d, 0.398942280401F));
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_EXP_INL_H
