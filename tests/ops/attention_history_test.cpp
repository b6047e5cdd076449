// One step of generation against plain loops over the past of each hypothesis.

#include "plumb/ops/attention_history.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/ops/path.h"

#include "support/numbers.h"

namespace plumb::test {
namespace {

using ops::Ancestry;
using ops::Columns;
using ops::History;

TEST(Ancestry, FollowsHypothesesThatBranchAndEnd) {
  Ancestry ancestry;
  ancestry.append(3);
  ancestry.select(at::tensor(std::vector<int64_t>{2, 2, 0}, at::kLong));
  EXPECT_EQ(ancestry.rows_at(0), (std::vector<int64_t>{2, 2, 0}));
  ancestry.append(3);
  ancestry.select(at::tensor(std::vector<int64_t>{1, 2}, at::kLong));  // one of them ends
  EXPECT_EQ(ancestry.rows_at(0), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(ancestry.rows_at(1), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(ancestry.positions(), 2);
  EXPECT_EQ(ancestry.hypotheses(), 2);
}

/// Three positions of four hypotheses that have been reordered; keys and values side by side, as a projection has them.
struct Past {
  static constexpr int64_t kWidth = 10, kHeads = 2;
  Ancestry ancestry;
  History history;
  at::Tensor q = random({4, kWidth}, 7);
  std::vector<at::Tensor> matrices;

  explicit Past(at::ScalarType dtype) {
    q = q.to(dtype);
    for (uint64_t t = 0; t < 3; ++t) {
      ancestry.append(4);
      if (t < 2) ancestry.select(at::tensor(std::vector<int64_t>{3, 0, 0, static_cast<int64_t>(t)}, at::kLong));
      matrices.push_back(random({4, 2 * kWidth}, t + 1).to(dtype));
      history.keys.emplace_back(matrices.back(), 0, kWidth);
      history.values.emplace_back(matrices.back(), kWidth, kWidth);
    }
  }

  Rows expected(double scale) const {
    Rows result;
    const Rows queries = rows_of(q);
    constexpr int64_t kHead = kWidth / kHeads;
    for (size_t r = 0; r < 4; ++r) {
      Row row(kWidth);
      for (size_t first = 0; first < static_cast<size_t>(kWidth); first += kHead) {
        double sum = 0;
        for (size_t t = 0; t < 3; ++t) {
          const Row past = rows_of(matrices[t])[static_cast<size_t>(ancestry.rows_at(static_cast<int64_t>(t))[r])];
          double score = 0;
          for (size_t i = first; i < first + kHead; ++i) score += queries[r][i] * past[i];
          const double weight = std::exp(scale * score);
          sum += weight;
          for (size_t i = first; i < first + kHead; ++i) row[i] += weight * past[i + kWidth];
        }
        for (size_t i = first; i < first + kHead; ++i) row[i] /= sum;
      }
      result.push_back(row);
    }
    return result;
  }
};

TEST(AttentionHistory, AgreesWithAPlainLoopOnBothPaths) {
  const Past wide(at::kDouble), narrow(at::kFloat);
  EXPECT_LE(
      difference(ops::attention_history(wide.q, wide.history, wide.ancestry, Past::kHeads, 0.6), wide.expected(0.6)),
      1e-14);
  const int64_t calls = ops::reference_calls();
  EXPECT_LE(difference(ops::attention_history(narrow.q, narrow.history, narrow.ancestry, Past::kHeads, 0.6),
                       narrow.expected(0.6)),
            1e-6);
  EXPECT_EQ(ops::reference_calls(), calls);
}

TEST(AttentionHistory, RefusesAHistoryThatDoesNotFit) {
  Past past(at::kDouble);
  past.ancestry.append(4);
  EXPECT_THROW(ops::attention_history(past.q, past.history, past.ancestry, Past::kHeads, 1), c10::Error);
}

}  // namespace
}  // namespace plumb::test
