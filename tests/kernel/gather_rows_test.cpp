#include "plumb/kernel/gather_rows.h"

#include <gtest/gtest.h>

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

class GatherRowsKernel : public EveryTarget {};

TEST_P(GatherRowsKernel, AddsTheNamedRowsInTheirOrder) {
  for (const int64_t width : {1, 3, 17, 64, 129}) {
    for (const int64_t terms : {1, 3}) {
      constexpr int64_t kRows = 7, kOut = 10;
      const std::vector<float> values = normal_numbers(kRows * width, 1);
      std::vector<int64_t> from;
      for (int64_t i = 0; i < kOut * terms; ++i) from.push_back(i % 4 == 3 ? -1 : i * 5 % kRows);
      for (int64_t j = 0; j < terms; ++j) from[2 * terms + j] = -1;  // a row of nothing
      std::vector<float> expected(kOut * width);
      for (int64_t i = 0; i < kOut * terms; ++i) {
        for (int64_t c = 0; c < width && from[i] >= 0; ++c) {
          expected[i / terms * width + c] += values[from[i] * width + c];
        }
      }
      Guarded x(values), whole(kOut * width, 7), split(kOut * width, 7);
      GatherRows call{.terms = terms, .width = width, .x = x.data(), .from = from.data(), .out = whole.data()};
      gather_rows(call, 0, kOut);
      expect_same(whole.values(), expected, std::to_string(width));
      call.out = split.data();
      for (const auto& [begin, end] : {std::pair{4, 10}, {0, 1}, {1, 4}}) gather_rows(call, begin, end);
      expect_same(split.values(), expected, std::to_string(width) + " in pieces");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, GatherRowsKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
