#include "plumb/kernel/residual.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/residual.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/norm-inl.h"
#include "plumb/kernel/row_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

/// beta * gain at column i. Most rows have only numbers for gains, and then no branch in the loop asks for others.
template <bool kVectors, class Part>
HWY_INLINE Vector scaled_gain(Part part, const Gain& gain, float beta, int64_t i) {
  const Tag d;
  if (kVectors && gain.values) return hn::Mul(part.load(gain.values + i), hn::Set(d, beta));
  return hn::Set(d, gain.value * beta);
}

/// z of one row. The hints keep what a Post-LN or Pre-LN layer does in one straight line: worth a third of the time.
template <bool kVectors>
HWY_INLINE void sum_row(const ResidualForward call, int64_t row, float* z) {
  const ResidualTerms terms = call.terms;
  const int64_t at = row * call.width;
  const float *f = call.f + at, *x = element(call.x, at), *bottom = element(call.bottom, at);
  const Vector alpha = hn::Set(Tag(), terms.alpha);
  sweep_kept(terms.dropout, call.names, row, call.width, [&](auto part, int64_t i, Vector keep) {
    Vector a = part.load(f + i);
    if (HWY_LIKELY(terms.bias != nullptr)) a = hn::Add(a, part.load(terms.bias + i));
    a = hn::Mul(hn::Mul(a, keep), scaled_gain<kVectors>(part, terms.g, terms.beta, i));
    if (HWY_LIKELY(x != nullptr))
      a = hn::MulAdd(part.load(x + i), scaled_gain<kVectors>(part, terms.r, terms.beta, i), a);
    if (HWY_UNLIKELY(bottom != nullptr)) a = hn::MulAdd(part.load(bottom + i), alpha, a);
    part.store(a, z + i);
  });
}

HWY_INLINE bool has_vectors(const ResidualTerms& terms) {
  return terms.r.values || terms.g.values;
}

}  // namespace

HWY_FLATTEN void residual_forward_target(const ResidualForward& call, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * call.width;
    float* z = (call.z ? call.z : call.y) + at;  // where nobody wants z, y's row holds it meanwhile
    has_vectors(call.terms) ? sum_row<true>(call, row, z) : sum_row<false>(call, row, z);
    if (call.terms.norm) keep_stats(call.stats, row, norm_row(*call.terms.norm, z, call.y + at, call.width));
  }
}

namespace {

/// The sums of one call that are numbers, not columns.
struct GainSums {
  double r = 0, g = 0;
};

/// From the gradient of z, which `line` holds (or dy and dz, if there is no norm), to everything before it. kLearns:
/// the gains are vectors or have gradients.
template <bool kLearns>
HWY_INLINE void spread_row(const ResidualBackward call, int64_t row, const float* line, GainSums& sums) {
  const Tag d;
  const ResidualTerms terms = call.terms;
  const ResidualGradients sum = call.gradients;
  const int64_t at = row * call.width;
  const float *f = element(call.f, at), *x = element(call.x, at), *more = element(terms.norm ? nullptr : call.dz, at);
  float *df = element(call.df, at), *dx = element(call.dx, at), *dbottom = element(call.dbottom, at);
  const Vector alpha = hn::Set(d, terms.alpha), beta = hn::Set(d, terms.beta);
  Vector sum_r = hn::Zero(d), sum_g = hn::Zero(d);
  const auto learn = [&](auto part, int64_t i, const Gain& gain, float* columns, Vector& number, Vector slope) {
    if (gain.values) {
      add_to(part, columns + i, slope);
    } else {
      number = hn::Add(number, slope);
    }
  };
  sweep_kept(terms.dropout, call.names, row, call.width, [&](auto part, int64_t i, Vector keep) {
    Vector dz = part.load(line + i);
    if (HWY_UNLIKELY(more != nullptr)) dz = hn::Add(dz, part.load(more + i));
    if (kLearns && sum.r) learn(part, i, terms.r, sum.r, sum_r, hn::Mul(hn::Mul(dz, beta), part.load(x + i)));
    if (kLearns && sum.g) {
      Vector a = part.load(f + i);
      if (HWY_LIKELY(terms.bias != nullptr)) a = hn::Add(a, part.load(terms.bias + i));
      learn(part, i, terms.g, sum.g, sum_g, hn::Mul(hn::Mul(dz, beta), hn::Mul(a, keep)));
    }
    if (dx) part.store(hn::Mul(dz, scaled_gain<kLearns>(part, terms.r, terms.beta, i)), dx + i);
    if (HWY_UNLIKELY(dbottom != nullptr)) part.store(hn::Mul(dz, alpha), dbottom + i);
    const Vector of_f = hn::Mul(hn::Mul(dz, scaled_gain<kLearns>(part, terms.g, terms.beta, i)), keep);
    if (HWY_LIKELY(df != nullptr)) part.store(of_f, df + i);
    if (HWY_LIKELY(sum.bias != nullptr)) add_to(part, sum.bias + i, of_f);
  });
  if (kLearns && sum.r && !terms.r.values) sums.r += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum_r)));
  if (kLearns && sum.g && !terms.g.values) sums.g += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum_g)));
}

}  // namespace

HWY_FLATTEN void residual_backward_target(const ResidualBackward& call, int64_t begin, int64_t end) {
  const ResidualTerms& terms = call.terms;
  const ResidualGradients& sum = call.gradients;
  if (terms.norm) clear_norm_gradients(*terms.norm, sum.norm, call.width);
  if (sum.bias) std::fill_n(sum.bias, call.width, 0.0F);
  if (sum.r) std::fill_n(sum.r, terms.r.values ? call.width : 1, 0.0F);
  if (sum.g) std::fill_n(sum.g, terms.g.values ? call.width : 1, 0.0F);
  float* const outputs = call.df ? call.df : call.dx ? call.dx : call.dbottom;
  const bool learns = has_vectors(terms) || sum.r || sum.g;
  GainSums sums;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * call.width;
    const float* line = call.dy + at;
    if (terms.norm) {
      norm_row_backward({.norm = *terms.norm,
                         .side = call.side,
                         .gradients = sum.norm,
                         .saved = call.saved + at,
                         .dy = call.dy + at,
                         .extra = element(call.dz, at),
                         .dx = outputs + at,  // for the moment: spread_row() reads it before it writes there
                         .stats = kept_stats(call.stats, row),
                         .n = call.width});
      line = outputs + at;
    }
    learns ? spread_row<true>(call, row, line, sums) : spread_row<false>(call, row, line, sums);
  }
  if (sum.r && !terms.r.values) *sum.r = static_cast<float>(sums.r);
  if (sum.g && !terms.g.values) *sum.g = static_cast<float>(sums.g);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(residual_forward_target);
HWY_EXPORT(residual_backward_target);

void residual_forward(const ResidualForward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(residual_forward_target)(call, begin, end);
}

void residual_backward(const ResidualBackward& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(residual_backward_target)(call, begin, end);
}

}  // namespace plumb::kernel
#endif
