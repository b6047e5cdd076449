// Products against a plain loop in double, for shapes on both sides of every border of the blocks.

#include "plumb/ops/fused/gemm.h"

#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

struct Case {
  int64_t m, n, k;
  bool a_transposed, b_transposed;
  float beta;
};

const Case kCases[] = {
    {1, 1, 1, false, false, 0},      {5, 7, 3, true, false, 1},       {7, 5, 3, false, true, 0.5F},
    {300, 40, 33, false, true, 0},   {600, 64, 40, true, false, 1},   {1030, 17, 25, false, false, 0},
    {100, 2100, 12, false, true, 1}, {600, 1300, 9, false, true, 0},  {48, 400, 20, true, true, 0},
    {400, 16, 5, false, false, 0},   {385, 33, 1030, false, true, 1}, {500, 15, 600, false, false, 1},
    {384, 384, 7, false, true, 0},   {390, 1, 513, false, true, 0},
};

at::Tensor operand(int64_t rows, int64_t columns, bool transposed, uint64_t seed) {
  return (transposed ? random({columns, rows}, seed) : random({rows, columns}, seed)).to(at::kFloat).contiguous();
}

ops::Operand as_operand(const at::Tensor& x, bool transposed) {
  return {x.data_ptr<float>(), x.size(1), transposed};
}

at::Tensor multiplied(const Case& c, const at::Tensor& a, const at::Tensor& b, const at::Tensor& start) {
  at::Tensor result = start.clone();
  const ops::Product product{.m = c.m,
                             .n = c.n,
                             .k = c.k,
                             .a = as_operand(a, c.a_transposed),
                             .b = as_operand(b, c.b_transposed),
                             .beta = c.beta,
                             .c = result.data_ptr<float>(),
                             .c_stride = c.n};
  ops::multiply({&product, 1});
  return result;
}

TEST(Multiply, AgreesWithAPlainLoopAndNotWithTheNumberOfThreads) {
  for (const Case& c : kCases) {
    const at::Tensor a = operand(c.m, c.k, c.a_transposed, 1), b = operand(c.k, c.n, c.b_transposed, 2);
    const at::Tensor start = random({c.m, c.n}, 3).to(at::kFloat);
    const at::Tensor one = multiplied(c, a, b, start);
    const Rows x = rows_of(c.a_transposed ? a.t() : a), y = rows_of(c.b_transposed ? b.t() : b), z = rows_of(start);
    Rows expected(static_cast<size_t>(c.m), Row(static_cast<size_t>(c.n)));
    for (size_t i = 0; i < expected.size(); ++i) {
      for (size_t j = 0; j < expected[i].size(); ++j) {
        double sum = static_cast<double>(c.beta) * z[i][j];
        for (size_t k = 0; k < y.size(); ++k) sum += x[i][k] * y[k][j];
        expected[i][j] = sum;
      }
    }
    EXPECT_LE(difference(one, expected), 1e-6) << c.m << ' ' << c.n << ' ' << c.k;
    for (int threads : {2, 3}) {
      at::set_num_threads(threads);
      EXPECT_TRUE(at::equal(multiplied(c, a, b, start), one)) << c.m << ' ' << c.n << ' ' << c.k << ' ' << threads;
      EXPECT_EQ(at::get_num_threads(), threads);
    }
    at::set_num_threads(1);
  }
}

TEST(Multiply, TakesSeveralProductsAndNone) {
  ops::multiply({});
  std::vector<float> a = {1, 2}, b = {3, 4}, c(2);
  const ops::Product products[] = {{1, 1, 2, {a.data(), 2}, {b.data(), 1}, 0, c.data(), 1},
                                   {1, 1, 2, {a.data(), 2}, {a.data(), 1}, 0, c.data() + 1, 1},
                                   {0, 1, 2, {a.data(), 2}, {a.data(), 1}, 0, nullptr, 1}};
  ops::multiply(products);
  EXPECT_EQ(c, (std::vector<float>{11, 5}));
}

}  // namespace
}  // namespace plumb::test
