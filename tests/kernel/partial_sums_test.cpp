#include "plumb/kernel/partial_sums.h"

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

class PartialSums : public EveryTarget {};

TEST_P(PartialSums, AreAddedToWhatWasThere) {
  for (const int64_t rows : {0, 1, 16, 17, 1000}) {
    const int64_t stride = 150, begin = 3, end = 140;
    const std::vector<float> partials = normal_numbers(rows * stride, 1), start = normal_numbers(stride, 2);
    std::vector<double> expected = widened(start);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = begin; i < end; ++i) expected[i] += static_cast<double>(partials[row * stride + i]);
    }
    Guarded out(start);
    add_partial_sums(partials.data(), rows, stride, out.data(), begin, end);
    expect_close(out.values(), expected, 1e-6, "sums");
  }
}

// Of a million ones, floats alone would lose a part: they stop at 2^24.
TEST_P(PartialSums, KeepTheirDigits) {
  const std::vector<float> partials(1 << 20, 33.0F);
  Guarded out(1);
  add_partial_sums(partials.data(), 1 << 20, 1, out.data(), 0, 1);
  EXPECT_EQ(out.values()[0], 33.0F * (1 << 20));
}

INSTANTIATE_TEST_SUITE_P(Targets, PartialSums, ::testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
