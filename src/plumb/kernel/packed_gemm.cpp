#include "plumb/kernel/packed_gemm.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plumb/kernel/packed_gemm.cpp"
#include <hwy/foreach_target.h>

#include "plumb/kernel/panel-inl.h"
#include "plumb/kernel/small_gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace {

constexpr int64_t kDepth = 512;  // of a panel: two vectors wide, it fits the first-level cache
constexpr int64_t kRows = 96;    // of a, which stay in the second-level cache while the panels go by

HWY_INLINE int64_t panels_of(int64_t n) {
  return (n + panel_width() - 1) / panel_width();
}

/// Where a panel lies: first all panels of the first kDepth rows of b, then those of the next.
HWY_INLINE float* panel_at(const PackedGemm& x, int64_t panel, int64_t first, int64_t depth) {
  return x.panels + (first * panels_of(x.n) + panel * depth) * panel_width();
}

HWY_INLINE void pack_panel(const PackedGemm& x, int64_t panel, int64_t first, int64_t depth) {
  const int64_t W = panel_width(), column = panel * W, columns = std::min(W, x.n - column);
  float* out = panel_at(x, panel, first, depth);
  if (x.b_transposed) {
    transpose_panel({x.b + first + column * x.b_stride, x.b_stride, columns}, depth, 1, out);
    return;
  }
  for (int64_t p = 0; p < depth; ++p) std::copy_n(x.b + (first + p) * x.b_stride + column, columns, out + p * W);
}

HWY_INLINE void block_rows(const PackedGemm& x, const PackedGemmPart& part, int64_t row, int64_t first, int64_t depth) {
  const Tag d;
  const int64_t W = panel_width();
  const int64_t rows = std::min(kRows, part.end_row - row);
  const RowSplit split(rows);
  for (int64_t panel = part.first_panel; panel < part.end_panel; ++panel) {
    Product tile{.m = rows,
                 .n = std::min(W, x.n - panel * W),
                 .k = depth,
                 .a = x.a + row * x.a_stride + first,
                 .lda = x.a_stride,
                 .b = panel_at(x, panel, first, depth),
                 .ldb = W,
                 .c = x.c + row * x.c_stride + panel * W,
                 .ldc = x.c_stride,
                 .add = x.add || first > 0};
    if (tile.n == W) {
      columns<Left::Rows, 2>(d, split, tile, 1);
    } else {
      last_columns<Left::Rows>(d, split, tile);
    }
  }
}

}  // namespace

int64_t packed_gemm_panels_target(int64_t n) {
  return panels_of(n);
}

int64_t packed_gemm_floats_target(int64_t n, int64_t k) {
  return panels_of(n) * panel_width() * k;
}

void packed_gemm_pack_target(const PackedGemm& x, int64_t begin, int64_t end) {
  for (int64_t first = 0; first < x.k; first += kDepth) {
    for (int64_t panel = begin; panel < end; ++panel) pack_panel(x, panel, first, std::min(kDepth, x.k - first));
  }
}

void packed_gemm_part_target(const PackedGemm& x, const PackedGemmPart& part) {
  for (int64_t first = 0; first < x.k; first += kDepth) {
    for (int64_t row = part.first_row; row < part.end_row; row += kRows) {
      block_rows(x, part, row, first, std::min(kDepth, x.k - first));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {

HWY_EXPORT(packed_gemm_panels_target);
HWY_EXPORT(packed_gemm_floats_target);
HWY_EXPORT(packed_gemm_pack_target);
HWY_EXPORT(packed_gemm_part_target);

int64_t packed_gemm_panels(int64_t n) {
  return HWY_DYNAMIC_DISPATCH(packed_gemm_panels_target)(n);
}

int64_t packed_gemm_floats(int64_t n, int64_t k) {
  return HWY_DYNAMIC_DISPATCH(packed_gemm_floats_target)(n, k);
}

void packed_gemm_pack(const PackedGemm& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(packed_gemm_pack_target)(call, begin, end);
}

void packed_gemm_part(const PackedGemm& call, const PackedGemmPart& part) {
  HWY_DYNAMIC_DISPATCH(packed_gemm_part_target)(call, part);
}

}  // namespace plumb::kernel
#endif
