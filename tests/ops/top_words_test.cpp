// The likeliest words against a full sort of log-softmax in double.

#include "plumb/ops/top_words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

void expect_best(const ops::TopWords& top, const at::Tensor& logits, int64_t chosen, double tolerance) {
  const Rows rows = rows_of(logits);
  for (size_t r = 0; r < rows.size(); ++r) {
    double sum = 0;
    for (double x : rows[r]) sum += std::exp(x);
    std::vector<int32_t> order(rows[r].size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](int32_t w) { return rows[r][static_cast<size_t>(w)]; });
    for (int64_t i = 0; i < top.count; ++i) {
      const int32_t word = order[static_cast<size_t>(i)];
      EXPECT_EQ(top.words_of(static_cast<int64_t>(r))[i], word) << r << ' ' << i;
      EXPECT_NEAR(top.log_p_of(static_cast<int64_t>(r))[i], rows[r][static_cast<size_t>(word)] - std::log(sum),
                  tolerance);
    }
    EXPECT_NEAR(top.chosen[r], rows[r][static_cast<size_t>(chosen)] - std::log(sum), tolerance);
  }
}

TEST(TopWords, AreTheFirstOfAFullSort) {
  const at::Tensor logits = random({5, 37}, 1);
  logits[2][30] = logits[2][4] = 9;  // of equal ones the smaller id comes first
  expect_best(ops::top_words(logits, 6, 2), logits, 2, 1e-12);
  EXPECT_EQ(ops::top_words(logits, 6, 2).words_of(2)[0], 4);
  EXPECT_EQ(ops::top_words(logits, 100, 2).count, 37);
}

TEST(TopWords, OfAProjectionAgreeOnBothPaths) {
  const at::Tensor features = random({70, 12}, 1), weight = random({101, 12}, 2);
  expect_best(ops::projected_top_words(features, weight, 8, 3), features.mm(weight.t()), 3, 1e-12);
  const at::Tensor f = features.to(at::kFloat), w = weight.to(at::kFloat);
  expect_best(ops::projected_top_words(f, w, 8, 3), f.mm(w.t()), 3, 1e-5);
}

TEST(TopWords, LeavesOutWhatIsNotANumberOrImpossible) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const at::Tensor logits = at::tensor(std::vector<double>{0, -kInfinity, 1, -kInfinity}, at::kDouble).view({1, 4});
  const ops::TopWords top = ops::top_words(logits, 3, 0);
  EXPECT_EQ(top.words_of(0)[0], 2);
  EXPECT_EQ(top.words_of(0)[1], 0);
  EXPECT_EQ(top.log_p_of(0)[2], -kInfinity);
  const ops::TopWords none = ops::top_words(at::full({1, 4}, NAN, at::kDouble), 2, 0);
  EXPECT_EQ(none.log_p_of(0)[0], -kInfinity);
}

}  // namespace
}  // namespace plumb::test
