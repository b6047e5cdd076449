#pragma once

#include <cstdint>

namespace plumb::kernel {

/// c = a b + beta c for many rows: a [m, k] and c [m, n] lie row by row; b [k, n] does, or its transpose [n, k].
///
/// First b is packed into panels as wide as a tile of the result. Then a tile reads its panel from beginning to end and
/// a where it lies. That beats a BLAS, which packs a as well and goes over c twice, if there are many rows or the
/// panels are used again. An element of c is always summed up in the same order, whatever is computed with it.
struct PackedGemm {
  int64_t n, k;
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t b_stride;
  bool b_transposed;
  bool add;  // beta is 1, otherwise 0
  float* c;
  int64_t c_stride;
  float* panels;  // packed_gemm_floats() of them
};

int64_t packed_gemm_panels(int64_t n);
int64_t packed_gemm_floats(int64_t n, int64_t k);

/// Packs the panels begin .. end - 1. All must be packed before the first row.
void packed_gemm_pack(const PackedGemm& call, int64_t begin, int64_t end);

/// A part of c: some rows, and the columns of some panels.
struct PackedGemmPart {
  int64_t first_row, end_row, first_panel, end_panel;
};
void packed_gemm_part(const PackedGemm& call, const PackedGemmPart& part);

}  // namespace plumb::kernel
