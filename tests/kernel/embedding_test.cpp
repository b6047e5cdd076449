#include "plumb/kernel/embedding.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

constexpr int64_t kWords = 11, kRows = 40;

std::vector<int64_t> some_ids() {
  std::vector<int64_t> ids;
  for (int64_t row = 0; row < kRows; ++row) ids.push_back((row * row + 3 * row) % kWords);  // some never, some often
  return ids;
}

std::vector<int64_t> sorted_rows(const std::vector<int64_t>& ids) {
  std::vector<int64_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t row) { return ids[row]; });
  return order;
}

class EmbeddingKernel : public EveryTarget {};

TEST_P(EmbeddingKernel, ForwardIsTheScaledWordPlusThePosition) {
  const Names names(kRows);
  const std::vector<int64_t> ids = some_ids();
  const DropoutKey key = dropout_key(0.25);
  for (const int64_t width : {1, 3, 17, 64, 100, 129, 512}) {
    for (const int flags : {0, 1, 2, 3}) {
      Guarded table(normal_numbers(kWords * width, 1)), positions(normal_numbers(kRows * width, 2)), out(kRows * width);
      const EmbeddingForward call{.scale = 5,
                                  .dropout = (flags & 1) != 0 ? &key : nullptr,
                                  .names = names.view(),
                                  .width = width,
                                  .table = table.data(),
                                  .ids = ids.data(),
                                  .positions = (flags & 2) != 0 ? positions.data() : nullptr,
                                  .out = out.data()};
      for (const auto& [begin, end] : {std::pair{0, 7}, {7, 8}, {8, 40}}) embedding_forward(call, begin, end);
      std::vector<double> want;
      for (int64_t row = 0; row < kRows; ++row) {
        for (int64_t i = 0; i < width; ++i) {
          double value = 5 * static_cast<double>(table.data()[ids[row] * width + i]);
          if (call.positions) value += positions.data()[names.position[row] * width + i];
          want.push_back(value * keep_factor(call.dropout, names, row, i));
        }
      }
      expect_close(out.values(), want, 2e-7, std::to_string(width));
    }
  }
}

TEST_P(EmbeddingKernel, BackwardAddsTheRowsOfEachWordInTheirOrder) {
  const Names names(kRows);
  const std::vector<int64_t> ids = some_ids(), order = sorted_rows(ids);
  const DropoutKey key = dropout_key(0.25);
  for (const int64_t width : {1, 3, 17, 64, 100, 129, 512}) {
    for (const DropoutKey* dropout : {static_cast<const DropoutKey*>(nullptr), &key}) {
      Guarded dout(normal_numbers(kRows * width, 3)), dtable(normal_numbers(kWords * width, 4));
      Guarded by_range(dtable.values());
      std::vector<double> want = widened(dtable.values());
      for (int64_t i = 0; i < kRows * width; ++i) {
        want[ids[i / width] * width + i % width] +=
            5 * keep_factor(dropout, names, i / width, i % width) * static_cast<double>(dout.data()[i]);
      }
      EmbeddingBackward call{5,          dropout,      names.view(), width,        kRows,
                             ids.data(), order.data(), dout.data(),  dtable.data()};
      embedding_backward(call, 0, kWords);
      expect_close(dtable.values(), want, 1e-6, std::to_string(width));
      call.dtable = by_range.data();
      for (const auto& [begin, end] : {std::pair{6, 11}, {0, 1}, {1, 4}, {4, 6}}) embedding_backward(call, begin, end);
      expect_same(by_range.values(), dtable.values(), "ranges of ids");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EmbeddingKernel, testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
