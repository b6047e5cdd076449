// Panels: up to two vectors of rows of a matrix, transposed, so that a lane is a row. Included once for each target,
// hence no pragma.

#include <algorithm>
#include <cstdint>

#if defined(PLUMB_KERNEL_PANEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_PANEL_INL_H
#undef PLUMB_KERNEL_PANEL_INL_H
#else
#define PLUMB_KERNEL_PANEL_INL_H
#endif

#include <hwy/highway.h>

#include "plumb/kernel/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

HWY_INLINE int64_t panel_width() {
  return 2 * vector_lanes();
}

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

/// The rows that become the lanes of a panel: row i begins at first + i * stride.
struct PanelRows {
  const float* first;
  int64_t stride, count;
};

/// How many lanes of a panel are used: one vector if the rows fit into it.
HWY_INLINE int64_t panel_columns(int64_t rows) {
  return rows > vector_lanes() ? panel_width() : vector_lanes();
}

/// out[j * panel_width() + i] = scale * row i of x, column j < width. Lanes beyond the rows repeat the last of them:
/// nobody reads their results, and so they are not exceptional numbers.
HWY_INLINE void transpose_panel(const PanelRows& x, int64_t width, float scale, float* out) {
  const hn::CappedTag<float, 8> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  const int64_t ld = panel_width();
  for (int64_t i = 0; i < panel_columns(x.count); i += step) {
    const float* rows[8];
    for (int64_t r = 0; r < step; ++r) rows[r] = x.first + std::min(i + r, x.count - 1) * x.stride;
    int64_t j = 0;
    for (; j + 4 <= width; j += 4) transpose_four(d, rows, j, scale, out + j * ld + i, ld);
    for (; j < width; ++j) {
      for (int64_t r = 0; r < step; ++r) out[j * ld + i + r] = rows[r][j] * scale;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_PANEL_INL_H
