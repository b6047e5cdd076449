#include "plumb/kernel/packed_gemm.h"

#include <tuple>

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

class PackedGemmKernel : public EveryTarget {};

struct Problem {
  int64_t m, n, k;
  bool transposed, add;
  std::vector<float> a = normal_numbers(m * k, 1), b = normal_numbers(k * n, 2), start = normal_numbers(m * n, 3);

  std::vector<double> expected() const {
    std::vector<double> c(start.size());
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = add ? static_cast<double>(start[i * n + j]) : 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += static_cast<double>(a[i * k + p]) * static_cast<double>(transposed ? b[j * k + p] : b[p * n + j]);
        }
        c[i * n + j] = sum;
      }
    }
    return c;
  }

  /// Rows in blocks that end at `borders`, and columns in two parts.
  std::vector<float> computed(const std::vector<int64_t>& borders) const {
    const int64_t panels_end = packed_gemm_panels(n), half = panels_end / 2;
    Guarded c(start), panels(packed_gemm_floats(n, k));
    const PackedGemm call{.n = n,
                          .k = k,
                          .a = a.data(),
                          .a_stride = k,
                          .b = b.data(),
                          .b_stride = transposed ? k : n,
                          .b_transposed = transposed,
                          .add = add,
                          .c = c.data(),
                          .c_stride = n,
                          .panels = panels.data()};
    for (int64_t panel = packed_gemm_panels(n); panel-- > 0;) packed_gemm_pack(call, panel, panel + 1);
    int64_t begin = 0;
    for (int64_t border : borders) {
      packed_gemm_part(call, {begin, border, half, panels_end});
      packed_gemm_part(call, {begin, border, 0, half});
      begin = border;
    }
    return c.values();
  }
};

TEST_P(PackedGemmKernel, AgreesWithAPlainLoop) {
  const std::tuple<int64_t, int64_t, int64_t> shapes[] = {{1, 1, 1},     {6, 16, 8},     {97, 33, 20},
                                                          {100, 5, 600}, {13, 64, 1030}, {200, 31, 17}};
  for (const auto& [m, n, k] : shapes) {
    for (const bool transposed : {false, true}) {
      for (const bool add : {false, true}) {
        const Problem problem{m, n, k, transposed, add};
        expect_close(problem.computed({m}), problem.expected(), 2e-6, "c");
      }
    }
  }
}

// So that the other sentences of a batch cannot change a bit of a sentence.
TEST_P(PackedGemmKernel, ARowDoesNotDependOnTheRowsBesideIt) {
  const Problem problem{150, 37, 700, true, false};
  const std::vector<float> whole = problem.computed({150});
  EXPECT_EQ(problem.computed({1, 8, 20, 21, 120, 150}), whole);
}

INSTANTIATE_TEST_SUITE_P(Targets, PackedGemmKernel, ::testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
