#include "plumb/ops/glu.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

TEST(Glu, IsTheLeftHalfTimesTheSigmoidOfTheRight) {
  const at::Tensor in = random({4, 6}, 1), bias = random({6}, 2);
  const Rows x = rows_of(in), b = rows_of(bias);
  for (const bool biased : {false, true}) {
    Rows expected(4, Row(3));
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = 0; j < 3; ++j) {
        const double left = x[i][j] + (biased ? b[0][j] : 0), right = x[i][3 + j] + (biased ? b[0][3 + j] : 0);
        expected[i][j] = left / (1 + std::exp(-right));
      }
    }
    EXPECT_LE(difference(ops::glu(in, biased ? bias : at::Tensor()), expected), 1e-15);
    const at::Tensor in_float = in.to(at::kFloat), bias_float = bias.to(at::kFloat);
    EXPECT_LE(difference(ops::glu(in_float, biased ? bias_float : at::Tensor()), expected), 1e-6);
  }
}

TEST(Glu, IsThatOfLibTorch) {
  const at::Tensor in = 5 * random({7, 10}, 1);
  EXPECT_LE(difference(ops::glu(in, {}), rows_of(at::glu(in, 1))), 1e-15);
}

TEST(Glu, AnOddWidthIsRefused) {
  EXPECT_THROW(ops::glu(random({2, 5}, 1), {}), c10::Error);
}

}  // namespace
}  // namespace plumb::test
