#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/small_gemm_test.cpp"
#include <hwy/foreach_target.h>
#include <hwy/tests/hwy_gtest.h>

#include "plumb/kernel/small_gemm-inl.h"

#ifndef PLUMB_TESTS_KERNEL_SMALL_GEMM_TEST_ONCE
#define PLUMB_TESTS_KERNEL_SMALL_GEMM_TEST_ONCE
namespace plumb::kernel {

/// One product; `gap` is how much longer than needed the rows of every matrix lie apart.
struct GemmCase {
  int64_t m, n, k, gap;
  bool columns, add, scaled;
};

}  // namespace plumb::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace plumb::kernel {
namespace HWY_NAMESPACE {

void multiply_target(const GemmCase& x, const float* a, int64_t lda, const float* b, int64_t ldb, float* c, int64_t ldc,
                     const float* row_scale) {
  const Product product{x.m, x.n, x.k, a, lda, b, ldb, c, ldc, x.add, x.scaled ? row_scale : nullptr};
  if (x.columns) {
    multiply<Left::Columns>(product);
  } else {
    multiply<Left::Rows>(product);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plumb::kernel {
namespace {

HWY_EXPORT(multiply_target);

/// Numbers in [-1, 1) that have nothing to do with each other.
std::vector<float> factors(int64_t n, uint32_t seed) {
  std::vector<float> x(static_cast<size_t>(n));
  for (float& value : x) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / 8388608.0F - 1;
  }
  return x;
}

class SmallGemm : public hwy::TestWithParamTarget {
 protected:
  /// Compares every element of C, and what lies between its rows with what lay there before. The matrices end with
  /// their last element, so that the sanitizer sees every step beyond.
  void expect_product(const GemmCase& x) {
    const int64_t rows = x.columns ? x.k : x.m, lda = (x.columns ? x.m : x.k) + x.gap;
    const int64_t ldb = x.n + x.gap, ldc = x.n + x.gap;
    const std::vector<float> a = factors(std::max<int64_t>(0, rows * lda - x.gap), 1);
    const std::vector<float> b = factors(std::max<int64_t>(0, x.k * ldb - x.gap), 2), scale = factors(x.m, 3);
    const std::vector<float> before = factors(std::max<int64_t>(0, x.m * ldc - x.gap), 4);
    std::vector<float> c = before;
    HWY_DYNAMIC_DISPATCH(multiply_target)(x, a.data(), lda, b.data(), ldb, c.data(), ldc, scale.data());
    for (int64_t at = 0; at < std::ssize(c); ++at) {
      const int64_t i = at / ldc, j = at % ldc;
      if (j >= x.n) {
        ASSERT_EQ(c[at], before[at]) << "beside row " << i;
        continue;
      }
      double sum = 0;
      for (int64_t p = 0; p < x.k; ++p) sum += double{a[x.columns ? p * lda + i : i * lda + p]} * b[p * ldb + j];
      if (x.scaled) sum *= scale[i];
      if (x.add) sum += before[at];
      ASSERT_NEAR(c[at], sum, 1e-6 * std::sqrt(static_cast<double>(x.k + 1)))
          << x.m << " x " << x.n << " x " << x.k << ", gap " << x.gap << ", element " << i << ", " << j;
    }
  }

  void expect_products(int64_t m, int64_t n, int64_t k) {
    for (int64_t gap : {0, 5}) {
      for (bool columns : {false, true}) {
        expect_product({m, n, k, gap, columns, false, false});
        expect_product({m, n, k, gap, columns, true, false});
        expect_product({m, n, k, gap, columns, false, true});
      }
    }
  }
};

TEST_P(SmallGemm, EveryNumberOfRows) {
  for (int64_t m = 1; m <= 20; ++m) expect_products(m, 17, 9);
}

TEST_P(SmallGemm, EveryNumberOfColumns) {
  for (int64_t n = 1; n <= 70; ++n) expect_products(7, n, 5);
}

TEST_P(SmallGemm, EveryDepth) {
  for (int64_t k = 0; k <= 20; ++k) expect_products(6, 16, k);
  for (int64_t k : {255, 256, 257, 512, 700}) expect_products(7, 20, k);
}

TEST_P(SmallGemm, SizesOfAttention) {
  for (int64_t m : {1, 24, 25, 100}) {
    for (int64_t n : {1, 16, 32, 33, 64}) expect_products(m, n, 32);
  }
  expect_products(0, 3, 3);
}

HWY_TARGET_INSTANTIATE_TEST_SUITE_P(SmallGemm);

}  // namespace
}  // namespace plumb::kernel
#endif
