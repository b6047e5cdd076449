// What forward and backward of attention share. Included once for each target, hence no pragma.
//
// Queries go in panels of two vectors, and scores stand transposed: a row for each key, a lane for each query. So the
// softmax runs down the rows without any sum across lanes, keys and values are read where they lie, and only the
// queries of the panel are transposed.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "plumb/kernel/attention.h"

#if defined(PLUMB_OPS_KERNEL_ATTENTION_PANEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_OPS_KERNEL_ATTENTION_PANEL_INL_H
#undef PLUMB_OPS_KERNEL_ATTENTION_PANEL_INL_H
#else
#define PLUMB_OPS_KERNEL_ATTENTION_PANEL_INL_H
#endif

#include <hwy/highway.h>

#include "plumb/kernel/philox-inl.h"
#include "plumb/kernel/small_gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

constexpr size_t kMostLanes = hn::MaxLanes(Tag());

HWY_INLINE int64_t lanes() {
  return static_cast<int64_t>(hn::Lanes(Tag()));
}
HWY_INLINE int64_t panel_width() {
  return 2 * lanes();
}

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

/// How many columns of a panel are computed: one vector if the queries fit into it.
HWY_INLINE int64_t panel_columns(const Panel& panel) {
  return panel.rows > lanes() ? panel_width() : lanes();
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

// ---- transposing ----

/// Elements column .. column + 3 of Lanes(d) rows, times scale, as four rows of `out`.
template <class D>
HWY_INLINE void transpose_four(D d, const float* const* rows, int64_t column, float scale, float* out, int64_t ld) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t j = 0; j < 4; ++j) out[j * ld] = rows[0][column + j] * scale;
  (void)d;
#else
  const hn::FixedTag<float, 4> d4;
  const hn::RepartitionToWide<D> d64;
  const auto load = [&](int64_t i) HWY_ATTR {
    if constexpr (hn::MaxLanes(d) == 8) {  // rows i and i + 4
      return hn::Mul(hn::Combine(d, hn::LoadU(d4, rows[i + 4] + column), hn::LoadU(d4, rows[i] + column)),
                     hn::Set(d, scale));
    } else {
      return hn::Mul(hn::LoadU(d, rows[i] + column), hn::Set(d, scale));
    }
  };
  const auto r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), d, out + ld);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), d, out + 2 * ld);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), d, out + 3 * ld);
#endif
}

/// out[j * panel_width() + i] = scale * row begin + i of x, column j < width, for the queries i of the panel. Lanes
/// beyond them repeat the last query: nobody reads their results, and so they are not exceptional numbers.
HWY_INLINE void transpose_panel(HeadRows x, const Panel& panel, int64_t width, float scale, float* out) {
  const hn::CappedTag<float, 8> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  const int64_t ld = panel_width();
  for (int64_t i = 0; i < panel_columns(panel); i += step) {
    const float* rows[8];
    for (int64_t r = 0; r < step; ++r) {
      rows[r] = x.data + (panel.begin + std::min(i + r, panel.rows - 1)) * x.stride;
    }
    int64_t j = 0;
    for (; j + 4 <= width; j += 4) transpose_four(d, rows, j, scale, out + j * ld + i, ld);
    for (; j < width; ++j) {
      for (int64_t r = 0; r < step; ++r) out[j * ld + i + r] = rows[r][j] * scale;
    }
  }
}

// ---- what a query sees ----

/// Which keys the queries of one vector see: all below `full`, some from there to `end`, none from `end` on. `full` is
/// a multiple of 4 unless it is the end, because dropout decides about four keys at a time.
struct Sight {
  int64_t full, end;
};

HWY_INLINE Sight sight_of(const AttentionCall& call, const Panel& panel, int64_t first_query) {
  if (!call.causal) return {panel.keys, panel.keys};
  return {std::min(panel.keys, first_query) / 4 * 4, std::min(panel.keys, first_query + lanes())};
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

#endif  // PLUMB_OPS_KERNEL_ATTENTION_PANEL_INL_H
