// What forward, backward and tangent of attention share. Included once for each target, hence no pragma.
//
// Queries go in panels of two vectors, and scores stand transposed: a row for each key, a lane for each query. So the
// softmax runs down the rows without any sum across lanes, keys and values are read where they lie, and only the
// queries of the panel are transposed.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "plumb/kernel/attention.h"

#if defined(PLUMB_KERNEL_ATTENTION_PANEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_ATTENTION_PANEL_INL_H
#undef PLUMB_KERNEL_ATTENTION_PANEL_INL_H
#else
#define PLUMB_KERNEL_ATTENTION_PANEL_INL_H
#endif

#include <hwy/highway.h>

#include "plumb/kernel/panel-inl.h"
#include "plumb/kernel/philox-inl.h"
#include "plumb/kernel/small_gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kMostLanes = hn::MaxLanes(Tag());

/// The two matrices of backward take so many floats, or more if one panel needs more.
constexpr int64_t kBlockFloats = 24 * 1024;
constexpr size_t kCacheLine = 64;

HWY_INLINE float* aligned(float* scratch) {
  const auto address = reinterpret_cast<uintptr_t>(scratch);
  return scratch + (kCacheLine - address % kCacheLine) % kCacheLine / sizeof(float);
}

HWY_INLINE size_t scratch_floats(int64_t keys, int64_t width) {
  const int64_t floats = width * panel_width() + std::max(kBlockFloats, 2 * keys * panel_width());
  return static_cast<size_t>(floats) + kCacheLine / sizeof(float);
}

/// Queries begin .. begin + rows - 1, which see the first `keys` keys or fewer.
struct Panel {
  int64_t begin, rows, keys;
};

HWY_INLINE Panel panel_at(const AttentionCall& call, int64_t begin) {
  const int64_t rows = std::min(panel_width(), call.queries - begin);
  return {begin, rows, call.causal ? std::min(call.keys, begin + rows) : call.keys};
}

HWY_INLINE int64_t panel_columns(const Panel& panel) {
  return panel_columns(panel.rows);
}

/// The queries of the panel, scaled, by columns.
HWY_INLINE void transpose_panel(HeadRows x, const Panel& panel, int64_t width, float scale, float* out) {
  transpose_panel({x.data + panel.begin * x.stride, x.stride, panel.rows}, width, scale, out);
}

// ---- powers of two ----

/// What makes a natural logarithm one of base 2. Scores are multiplied by it when the queries are, since a power of two
/// is cheaper than one of e: it falls into integer and fraction without a rounding.
constexpr float kLog2E = 1.44269504F;

/// 2^x within 1 ulp for x <= 0, or a little above; 0 below -126. NaN stays NaN.
HWY_INLINE Vector power_of_two(Vector x) {
  const Tag d;
  const hn::RebindToSigned<Tag> bits;
  const Vector magic = hn::Set(d, 12582912.0F);  // adding 1.5 * 2^23 rounds to an integer, which is then the low bits
  const Vector shifted = hn::Add(x, magic);
  const Vector r = hn::Sub(x, hn::Sub(shifted, magic));
  // On |r| <= 1/2, of degree 6 with the least largest relative error, 2e-9.
  Vector p = hn::MulAdd(r, hn::Set(d, 0.000153458120115F), hn::Set(d, 0.00133999312192F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.00961848895708F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0555032877697F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.240226468906F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.693147205737F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(bits, shifted));
  const Vector power = hn::BitCast(d, hn::Add(hn::BitCast(bits, p), exponent));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0F)), power);
}

// ---- what a query sees ----

/// Which keys the queries of one vector see: all below `full`, some from there to `end`, none from `end` on. `full` is
/// a multiple of 4 unless it is the end, because dropout decides about four keys at a time.
struct Sight {
  int64_t full, end;
};

HWY_INLINE Sight sight_of(const AttentionCall& call, const Panel& panel, int64_t first_query) {
  if (!call.causal) return {panel.keys, panel.keys};
  return {std::min(panel.keys, first_query) / 4 * 4, std::min(panel.keys, first_query + vector_lanes())};
}

/// Lanes whose query, first_query + lane, sees the key.
HWY_INLINE auto sees(int64_t first_query, int64_t key) {
  const hn::RebindToSigned<Tag> d;
  const auto distance = hn::Set(d, static_cast<int32_t>(key - first_query));
  return hn::RebindMask(Tag(), hn::Not(hn::Lt(lane_numbers(d), distance)));
}

/// visit(key, factor of the dropout, kPartly) for keys begin .. end - 1; begin is a multiple of 4.
template <bool kPartly, class Visit>
HWY_INLINE void visit_keys(const AttentionCall& call, int64_t first_query, int64_t begin, int64_t end,
                           const Visit& visit) {
  constexpr std::bool_constant<kPartly> partly;
  if (call.dropout == nullptr) {
    for (int64_t s = begin; s < end; ++s) visit(s, hn::Set(Tag(), 1.0F), partly);
    return;
  }
  const KeepLine line =
      keep_line(call.dropout->key, call.dropout->sample, static_cast<uint32_t>(first_query), call.dropout->head);
  for (int64_t s = begin; s < end; s += 4) {
    Vector f0, f1, f2, f3;
    keep_lines(Tag(), line, static_cast<uint32_t>(s), f0, f1, f2, f3);
    visit(s, f0, partly);
    if (s + 1 < end) visit(s + 1, f1, partly);
    if (s + 2 < end) visit(s + 2, f2, partly);
    if (s + 3 < end) visit(s + 3, f3, partly);
  }
}

/// All keys that a query of the vector sees; visit() has to ask sees() where the last argument is true.
template <class Visit>
HWY_INLINE void for_each_key(const AttentionCall& call, int64_t first_query, const Sight& sight, const Visit& visit) {
  visit_keys<false>(call, first_query, 0, sight.full, visit);
  visit_keys<true>(call, first_query, sight.full, sight.end, visit);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_ATTENTION_PANEL_INL_H
