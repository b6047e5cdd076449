#include "plumb/ops/unfold.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

using ops::Packed;

const std::vector<int64_t> kLengths = {5, 1, 2, 8, 4};

/// Row after row, place after place.
Rows plain_unfold(const Rows& x, const std::vector<int64_t>& lengths, int64_t kernel, int64_t stride) {
  Rows result;
  int64_t begin = 0;
  for (const int64_t length : lengths) {
    for (int64_t centre = 0; centre < length; centre += stride) {
      Row row;
      for (int64_t at = centre - kernel / 2; at <= centre + kernel / 2; ++at) {
        for (size_t c = 0; c < x[0].size(); ++c) {
          row.push_back(at < 0 || at >= length ? 0 : x[static_cast<size_t>(begin + at)][c]);
        }
      }
      result.push_back(row);
    }
    begin += length;
  }
  return result;
}

TEST(Unfold, PutsTheNeighboursOfARowSideBySide) {
  const Packed rows(kLengths);
  const at::Tensor x = random({rows.rows(), 3}, 1);
  for (const int64_t kernel : {1, 3, 5, 7}) {
    for (const int64_t stride : {1, 2, 3, 9}) {
      const Rows expected = plain_unfold(rows_of(x), kLengths, kernel, stride);
      EXPECT_EQ(difference(ops::unfold(x, rows, kernel, stride).x, expected), 0) << kernel << ' ' << stride;
      const at::Tensor x_float = x.to(at::kFloat);
      const Rows expected_float = plain_unfold(rows_of(x_float), kLengths, kernel, stride);
      EXPECT_EQ(difference(ops::unfold(x_float, rows, kernel, stride).x, expected_float), 0) << kernel << ' ' << stride;
    }
  }
}

TEST(Unfold, TellsTheNewLengthsAndKeepsTheNames) {
  const Packed rows(kLengths, {9, 4, 7, 1, 0});
  const Packed out = ops::unfold(random({rows.rows(), 2}, 1), rows, 5, 2).rows;
  const std::vector<int64_t> lengths = {3, 1, 1, 4, 2};
  ASSERT_EQ(out.sequences(), 5);
  for (int64_t b = 0; b < 5; ++b) EXPECT_EQ(out.length(b), lengths[static_cast<size_t>(b)]) << b;
  EXPECT_EQ(out.samples(), rows.samples());
}

TEST(Unfold, ItsProductWithAMatrixIsAConvolution) {
  const at::Tensor x = random({11, 3}, 1), weight = random({4, 3, 5}, 2);
  const at::Tensor expected = at::conv1d(x.t().unsqueeze(0), weight, {}, /*stride=*/2, /*padding=*/2);
  const at::Tensor taps = weight.permute({0, 2, 1}).reshape({4, 15});
  const at::Tensor y = at::mm(ops::unfold(x, Packed({11}), 5, 2).x, taps.t());
  EXPECT_LE(difference(y, rows_of(expected[0].t())), 1e-14);
}

TEST(Unfold, AnEvenWindowIsRefused) {
  EXPECT_THROW(ops::unfold(random({4, 2}, 1), Packed({4}), 4, 2), c10::Error);
}

}  // namespace
}  // namespace plumb::test
