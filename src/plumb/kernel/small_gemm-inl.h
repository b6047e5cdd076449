// Products of small matrices that lie in the caches. Included once for each target, hence no pragma.
//
// One tile of the result is 6 rows x 2 vectors: 12 sums in registers, enough to hide the latency of the fused
// multiply-add (8 are needed on the machines of today) with registers left for two vectors of B and one number of A.

#include <algorithm>
#include <cstdint>

#if defined(PLUMB_KERNEL_SMALL_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_KERNEL_SMALL_GEMM_INL_H
#undef PLUMB_KERNEL_SMALL_GEMM_INL_H
#else
#define PLUMB_KERNEL_SMALL_GEMM_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// How A lies in memory: element (i, p) at a[i * lda + p], or at a[p * lda + i].
enum class Left { Rows, Columns };

/// One product C = A B or C += A B, or with row_scale C = diag(row_scale) A B. A is m x k, B is k x n and C is m x n;
/// rows of B and C are contiguous and lie ldb and ldc apart. Nothing outside them is read or written.
struct Product {
  int64_t m, n, k;
  const float* a;
  int64_t lda;
  const float* b;
  int64_t ldb;
  float* c;
  int64_t ldc;
  bool add = false;
  const float* row_scale = nullptr;  // [m]
};

constexpr int64_t kTileRows = 6;
/// A and B are walked this far before the next columns: their part stays in the first-level cache.
constexpr int64_t kTileDepth = 256;

/// Writes row i of a tile, `kVectors` of the two sums.
template <int kVectors, class D, class V = hn::Vec<D>>
HWY_INLINE void store_row(D d, const Product& x, int64_t i, V sum0, V sum1) {
  float* const c = x.c + i * x.ldc;
  if (x.row_scale != nullptr) {
    const V scale = hn::Set(d, x.row_scale[i]);
    sum0 = hn::Mul(sum0, scale);
    sum1 = hn::Mul(sum1, scale);
  }
  if (x.add) {
    sum0 = hn::Add(sum0, hn::LoadU(d, c));
    if constexpr (kVectors > 1) sum1 = hn::Add(sum1, hn::LoadU(d, c + hn::Lanes(d)));
  }
  hn::StoreU(sum0, d, c);
  if constexpr (kVectors > 1) hn::StoreU(sum1, d, c + hn::Lanes(d));
}

/// The kRows x kVectors tile in the upper left corner of C.
template <Left kLeft, int kRows, int kVectors, class D>
HWY_INLINE void tile(D d, const Product& x) {
  using V = hn::Vec<D>;
  V s00 = hn::Zero(d), s10 = s00, s20 = s00, s30 = s00, s40 = s00, s50 = s00;
  V s01 = s00, s11 = s00, s21 = s00, s31 = s00, s41 = s00, s51 = s00;
  const int64_t row = kLeft == Left::Rows ? x.lda : 1, column = kLeft == Left::Rows ? 1 : x.lda;
  const float* a0 = x.a;
  const float* a3 = x.a + 3 * row;
  const float* b = x.b;
  for (int64_t p = 0; p < x.k; ++p) {
    const V b0 = hn::LoadU(d, b);
    V b1 = b0;
    if constexpr (kVectors > 1) b1 = hn::LoadU(d, b + hn::Lanes(d));
    const auto add = [&](const float* a, V& sum0, V& sum1) HWY_ATTR {
      const V factor = hn::Set(d, *a);
      sum0 = hn::MulAdd(factor, b0, sum0);
      if constexpr (kVectors > 1) sum1 = hn::MulAdd(factor, b1, sum1);
    };
    add(a0, s00, s01);
    if constexpr (kRows > 1) add(a0 + row, s10, s11);
    if constexpr (kRows > 2) add(a0 + 2 * row, s20, s21);
    if constexpr (kRows > 3) add(a3, s30, s31);
    if constexpr (kRows > 4) add(a3 + row, s40, s41);
    if constexpr (kRows > 5) add(a3 + 2 * row, s50, s51);
    a0 += column;
    a3 += column;
    b += x.ldb;
  }
  store_row<kVectors>(d, x, 0, s00, s01);
  if constexpr (kRows > 1) store_row<kVectors>(d, x, 1, s10, s11);
  if constexpr (kRows > 2) store_row<kVectors>(d, x, 2, s20, s21);
  if constexpr (kRows > 3) store_row<kVectors>(d, x, 3, s30, s31);
  if constexpr (kRows > 4) store_row<kVectors>(d, x, 4, s40, s41);
  if constexpr (kRows > 5) store_row<kVectors>(d, x, 5, s50, s51);
}

/// Rows first, first + kRows, ... of `stripes` x kVectors vectors of columns: `tiles` of them one below the other.
template <Left kLeft, int kRows, int kVectors, class D>
HWY_NOINLINE void tiles_of(D d, const Product& x, int64_t first, int64_t tiles, int64_t stripes) {
  const auto width = static_cast<int64_t>(kVectors * hn::Lanes(d));
  const int64_t row = kLeft == Left::Rows ? x.lda : 1;
  Product at = x;
  for (int64_t stripe = 0; stripe < stripes; ++stripe) {
    at.a = x.a + first * row;
    at.c = x.c + first * x.ldc + stripe * width;
    if (x.row_scale != nullptr) at.row_scale = x.row_scale + first;
    for (int64_t i = 0; i < tiles; ++i) {
      tile<kLeft, kRows, kVectors>(d, at);
      at.a += kRows * row;
      at.c += kRows * x.ldc;
      if (x.row_scale != nullptr) at.row_scale += kRows;
    }
    at.b += width;
  }
}

/// The rows of a product in tiles of nearly the same height: 25 rows are five tiles of 5, not four of 6 and one of 1,
/// which would wait for its own sums. `higher` of the tiles have one row more.
struct RowSplit {
  int64_t tiles, rows, higher;

  explicit RowSplit(int64_t m) : tiles((m + kTileRows - 1) / kTileRows) {
    const auto count = static_cast<uint32_t>(m), parts = static_cast<uint32_t>(tiles);  // 32 bits divide faster
    rows = count / parts;
    higher = count % parts;
  }
};

template <Left kLeft, int kVectors, class D>
HWY_INLINE void tiles_high(int64_t rows, D d, const Product& x, int64_t first, int64_t tiles, int64_t stripes) {
  switch (rows) {
    case 1:
      return tiles_of<kLeft, 1, kVectors>(d, x, first, tiles, stripes);
    case 2:
      return tiles_of<kLeft, 2, kVectors>(d, x, first, tiles, stripes);
    case 3:
      return tiles_of<kLeft, 3, kVectors>(d, x, first, tiles, stripes);
    case 4:
      return tiles_of<kLeft, 4, kVectors>(d, x, first, tiles, stripes);
    case 5:
      return tiles_of<kLeft, 5, kVectors>(d, x, first, tiles, stripes);
    default:
      return tiles_of<kLeft, 6, kVectors>(d, x, first, tiles, stripes);
  }
}

/// The first `stripes` x kVectors vectors of columns, which are done then.
template <Left kLeft, int kVectors, class D>
HWY_INLINE void columns(D d, const RowSplit& split, Product& x, int64_t stripes) {
  if (split.higher > 0) tiles_high<kLeft, kVectors>(split.rows + 1, d, x, 0, split.higher, stripes);
  const int64_t first = split.higher * (split.rows + 1);
  tiles_high<kLeft, kVectors>(split.rows, d, x, first, split.tiles - split.higher, stripes);
  const auto done = stripes * static_cast<int64_t>(kVectors * hn::Lanes(d));
  x.n -= done;
  x.b += done;
  x.c += done;
}

/// The columns that are left: whole vectors, then vectors of 4, then numbers.
template <Left kLeft, class D>
HWY_INLINE void last_columns(D d, const RowSplit& split, Product& x) {
  if (x.n == 0) return;
  const int64_t stripes = x.n / static_cast<int64_t>(hn::Lanes(d));
  if (stripes > 0) columns<kLeft, 1>(d, split, x, stripes);
  constexpr size_t kShorter = hn::MaxLanes(d) > 4 ? 4 : 1;
  if constexpr (hn::MaxLanes(d) > 1) last_columns<kLeft>(hn::CappedTag<float, kShorter>(), split, x);
}

template <Left kLeft>
HWY_NOINLINE void multiply(const Product& product) {
  if (product.m <= 0) return;
  const hn::ScalableTag<float> d;
  const RowSplit split(product.m);
  const int64_t pairs = product.n / static_cast<int64_t>(2 * hn::Lanes(d));
  int64_t begin = 0;
  do {
    Product x = product;
    x.a += begin * (kLeft == Left::Rows ? 1 : x.lda);
    x.b += begin * x.ldb;
    x.k = std::min(product.k - begin, kTileDepth);
    x.add = product.add || begin > 0;
    if (pairs > 0) columns<kLeft, 2>(d, split, x, pairs);
    last_columns<kLeft>(d, split, x);
    begin += kTileDepth;
  } while (begin < product.k);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#endif  // PLUMB_KERNEL_SMALL_GEMM_INL_H
