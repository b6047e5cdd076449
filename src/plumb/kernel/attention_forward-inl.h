// Attention of one head, forward. Included once for each target, hence no pragma.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "plumb/kernel/attention.h"

#if defined(PLUMB_KERNEL_ATTENTION_FORWARD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_ATTENTION_FORWARD_INL_H
#undef PLUMB_KERNEL_ATTENTION_FORWARD_INL_H
#else
#define PLUMB_KERNEL_ATTENTION_FORWARD_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "plumb/kernel/attention_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

/// The largest score of each query.
HWY_INLINE Vector largest(const float* scores, const Sight& sight, int64_t first_query) {
  const Tag d;
  const Vector none = hn::Set(d, -std::numeric_limits<float>::infinity());
  Vector m = none;
  int64_t s = 0;
  for (; s < sight.full; ++s) m = hn::Max(m, hn::LoadU(d, scores + s * panel_width()));
  for (; s < sight.end; ++s) {
    m = hn::Max(m, hn::IfThenElse(sees(first_query, s), hn::LoadU(d, scores + s * panel_width()), none));
  }
  return m;
}

/// Scores of one vector of queries -> 2^(score - largest) times the factor of the dropout, to be divided by the sum of
/// the first. A score that is not finite makes the sum NaN, also where Max overlooks it.
HWY_INLINE void softmax(const AttentionCall& call, const Panel& panel, int64_t first_query, float* scores,
                        float* one_over_sum, float* lse) {
  const Tag d;
  const Sight sight = sight_of(call, panel, first_query);
  const Vector m = largest(scores, sight, first_query);
  Vector sum = hn::Zero(d);
  for_each_key(call, first_query, sight, [&](int64_t s, Vector factor, auto partly) HWY_ATTR {
    float* const at = scores + s * panel_width();
    Vector e = power_of_two(hn::Sub(hn::LoadU(d, at), m));
    if constexpr (partly) e = hn::IfThenElseZero(sees(first_query, s), e);
    sum = hn::Add(sum, e);
    hn::StoreU(hn::Mul(e, factor), d, at);
  });
  for (int64_t s = sight.end; s < panel.keys; ++s) hn::StoreU(hn::Zero(d), d, scores + s * panel_width());
  hn::StoreU(hn::Div(hn::Set(d, 1.0F), sum), d, one_over_sum);
  // Highway's Log answers a number to NaN: 0 * sum puts it back.
  const Vector log_sum = hn::MulAdd(hn::Zero(d), sum, hn::Log(d, sum));
  hn::StoreU(hn::MulAdd(m, hn::Set(d, 1 / kLog2E), log_sum), d, lse);
}

HWY_INLINE void forward(const AttentionCall& call, HeadRows q, HeadRows k, HeadRows v, MutableHeadRows y, float* lse) {
  const int64_t W = panel_width();
  float* const queries = aligned(call.scratch);    // [K, W]
  float* const scores = queries + call.width * W;  // [S, W]
  HWY_ALIGN float one_over_sum[2 * kMostLanes], panel_lse[2 * kMostLanes];
  for (int64_t begin = 0; begin < call.queries; begin += W) {
    const Panel panel = panel_at(call, begin);
    transpose_panel(q, panel, call.width, call.scale * kLog2E, queries);
    multiply<Left::Rows>({.m = panel.keys,
                          .n = panel_columns(panel),
                          .k = call.width,
                          .a = k.data,
                          .lda = k.stride,
                          .b = queries,
                          .ldb = W,
                          .c = scores,
                          .ldc = W});
    for (int64_t i = 0; i < panel_columns(panel); i += vector_lanes()) {
      softmax(call, panel, begin + i, scores + i, one_over_sum + i, panel_lse + i);
    }
    multiply<Left::Columns>({.m = panel.rows,
                             .n = call.width,
                             .k = panel.keys,
                             .a = scores,
                             .lda = W,
                             .b = v.data,
                             .ldb = v.stride,
                             .c = y.data + begin * y.stride,
                             .ldc = y.stride,
                             .row_scale = one_over_sum});
    std::copy_n(panel_lse, panel.rows, lse + begin);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_ATTENTION_FORWARD_INL_H
