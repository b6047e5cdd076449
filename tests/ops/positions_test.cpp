#include "plumb/ops/positions.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

double at(const at::Tensor& table, int64_t row, int64_t column) {
  return table[row][column].item<double>();
}

// fairseq: w_i = 10000^(-i / (D/2 - 1)), the first token at position 2.
TEST(Sinusoids, OfFairseqAreItsClosedForm) {
  const int64_t rows = 50;
  for (int64_t width : {4, 6, 16, 512}) {
    Rows expected;
    for (int64_t p = 0; p < rows; ++p) {
      Row row(static_cast<size_t>(width));
      const double half = static_cast<double>(width) / 2;
      for (int64_t i = 0; i < width / 2; ++i) {
        const double angle = static_cast<double>(p + 2) * std::pow(10000, -static_cast<double>(i) / (half - 1));
        row[static_cast<size_t>(i)] = std::sin(angle);
        row[static_cast<size_t>(i + width / 2)] = std::cos(angle);
      }
      expected.push_back(row);
    }
    EXPECT_LE(difference(ops::sinusoids(Positions::Fairseq, rows, width, at::kDouble), expected), 1e-12) << width;
  }
}

// marian: w_i = 10000^(-2i / D), the first token at position 0.
TEST(Sinusoids, OfMarianAreTheirClosedForm) {
  const int64_t rows = 50;
  for (int64_t width : {2, 4, 6, 16, 512}) {
    Rows expected;
    for (int64_t p = 0; p < rows; ++p) {
      Row row(static_cast<size_t>(width));
      for (int64_t i = 0; i < width / 2; ++i) {
        const double exponent = -2 * static_cast<double>(i) / static_cast<double>(width);
        const double angle = static_cast<double>(p) * std::pow(10000, exponent);
        row[static_cast<size_t>(i)] = std::sin(angle);
        row[static_cast<size_t>(i + width / 2)] = std::cos(angle);
      }
      expected.push_back(row);
    }
    EXPECT_LE(difference(ops::sinusoids(Positions::Marian, rows, width, at::kDouble), expected), 1e-12) << width;
  }
}

// mathematics.md 7: all sines come first, then all cosines, not in turn; the first frequency is 1.
TEST(Sinusoids, StartWithTheSineAndHaveItsCosineInTheMiddle) {
  const at::Tensor fairseq = ops::sinusoids(Positions::Fairseq, 9, 16, at::kDouble);
  const at::Tensor marian = ops::sinusoids(Positions::Marian, 9, 16, at::kDouble);
  for (int64_t p = 0; p < 9; ++p) {
    const double position = static_cast<double>(p);
    EXPECT_NEAR(at(fairseq, p, 0), std::sin(position + 2), 1e-14);
    EXPECT_NEAR(at(fairseq, p, 8), std::cos(position + 2), 1e-14);
    EXPECT_NEAR(at(marian, p, 0), std::sin(position), 1e-14);
    EXPECT_NEAR(at(marian, p, 8), std::cos(position), 1e-14);
  }
}

TEST(Sinusoids, OfFairseqEndWithAFrequencyOfExactlyOneTenThousandth) {
  const at::Tensor table = ops::sinusoids(Positions::Fairseq, 9, 16, at::kDouble);
  EXPECT_NEAR(at(table, 8, 7), std::sin(10 / 10000.0), 1e-15);
  EXPECT_NEAR(at(table, 8, 15), std::cos(10 / 10000.0), 1e-15);
}

// mathematics.md 1.2: the positions add 1/2 to the variance of x_0, because sin^2 + cos^2 = 1.
TEST(Sinusoids, HaveAMeanSquareOfOneHalf) {
  for (Positions convention : {Positions::Fairseq, Positions::Marian}) {
    const at::Tensor squares = ops::sinusoids(convention, 30, 64, at::kDouble).square().mean(1);
    EXPECT_LE((squares - 0.5).abs().max().item<double>(), 1e-14);
  }
}

TEST(Sinusoids, InFloatAreThoseInDoubleRounded) {
  const at::Tensor table = ops::sinusoids(Positions::Fairseq, 1000, 16, at::kFloat);
  EXPECT_EQ(table.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(table, ops::sinusoids(Positions::Fairseq, 1000, 16, at::kDouble).to(at::kFloat)));
}

TEST(LearnedPositions, LeaveTwoRowsToFairseqsSpecialTokens) {
  EXPECT_EQ(ops::kLearnedOffset, 2);
}

}  // namespace
}  // namespace plumb::test
