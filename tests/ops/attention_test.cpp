// Attention over packed sequences against a loop over sequences, heads, queries and keys in plain doubles.

#include "plumb/ops/attention.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/numbers.h"

namespace plumb::test {
namespace {

using ops::Dropout;
using ops::Packed;

/// What one call of the op needs.
struct Problem {
  Packed queries, keys;
  int64_t heads = 1;
  bool causal = false;
  Dropout dropout = {};
  at::Tensor q, k, v;
  double scale = 0.6;

  Problem(const Packed& queries, const Packed& keys, int64_t heads, int64_t width, bool causal, const Dropout& d = {})
      : queries(queries), keys(keys), heads(heads), causal(causal), dropout(d) {
    q = random({queries.rows(), width}, 1);
    k = random({keys.rows(), width}, 2);
    v = random({keys.rows(), width}, 3);
  }

  at::Tensor attend() const { return ops::attention(q, k, v, queries, keys, heads, scale, causal, dropout); }
  at::Tensor attend_in_float() const {
    return ops::attention(q.to(at::kFloat), k.to(at::kFloat), v.to(at::kFloat), queries, keys, heads, scale, causal,
                          dropout);
  }
};

/// One head of one query: softmax over the keys it may see, times the values.
Row plain_head(const Row& query, const Rows& keys, const Rows& values, double scale, const Row& keep) {
  Row weights;
  double largest = -INFINITY, sum = 0;
  for (const Row& key : keys) {
    double score = 0;
    for (size_t i = 0; i < query.size(); ++i) score += query[i] * key[i];
    weights.push_back(scale * score);
    largest = std::max(largest, weights.back());
  }
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  Row result(query.size());
  for (size_t s = 0; s < keys.size(); ++s) {
    for (size_t i = 0; i < query.size(); ++i) result[i] += weights[s] / sum * keep[s] * values[s][i];
  }
  return result;
}

/// Rows `begin` to `end` of one head.
Rows part(const Rows& x, int64_t begin, int64_t end, int64_t head, int64_t head_width) {
  Rows result;
  for (int64_t r = begin; r < end; ++r) {
    const auto first = x[static_cast<size_t>(r)].begin() + head * head_width;
    result.emplace_back(first, first + head_width);
  }
  return result;
}

Rows plain_attention(const Problem& p) {
  const Rows q = rows_of(p.q), k = rows_of(p.k), v = rows_of(p.v);
  const int64_t head_width = p.q.size(1) / p.heads;
  const at::Tensor keep =
      p.dropout.active() ? ops::attention_keep(p.queries, p.keys, p.heads, p.dropout, at::kDouble) : at::Tensor();
  Rows result(q.size());
  for (int64_t b = 0; b < p.queries.sequences(); ++b) {
    for (int64_t h = 0; h < p.heads; ++h) {
      for (int64_t t = 0; t < p.queries.length(b); ++t) {
        const int64_t row = p.queries.begin(b) + t, seen = p.causal ? t + 1 : p.keys.length(b);
        const int64_t first = p.keys.begin(b);
        Row factors(static_cast<size_t>(seen), 1);
        for (int64_t s = 0; keep.defined() && s < seen; ++s) {
          factors[static_cast<size_t>(s)] = keep[b][h][t][s].item<double>();
        }
        const Row out = plain_head(part(q, row, row + 1, h, head_width)[0], part(k, first, first + seen, h, head_width),
                                   part(v, first, first + seen, h, head_width), p.scale, factors);
        Row& joined = result[static_cast<size_t>(row)];
        joined.insert(joined.end(), out.begin(), out.end());
      }
    }
  }
  return result;
}

const Packed kRows({4, 1, 6, 2}, {40, 10, 60, 20});
const Packed kOther({3, 5, 1, 7}, {40, 10, 60, 20});
constexpr Dropout kAttentionDropout{.p = 0.4, .seed = 3, .step = 8, .site = 17};

void expect_right(const Problem& problem) {
  const Rows expected = plain_attention(problem);
  EXPECT_LE(difference(problem.attend(), expected), 1e-13);
  EXPECT_LE(difference(problem.attend_in_float(), expected), 2e-6);
}

TEST(Attention, OfASequenceToItselfAgreesWithTheLoop) {
  for (int64_t heads : {1, 2, 4}) expect_right(Problem(kRows, kRows, heads, 8, false));
}

TEST(Attention, ThatIsCausalAgreesWithTheLoop) {
  for (int64_t heads : {1, 2, 4}) expect_right(Problem(kRows, kRows, heads, 8, true));
}

TEST(Attention, ToSequencesOfOtherLengthsAgreesWithTheLoop) {
  for (int64_t heads : {1, 2, 4}) {
    expect_right(Problem(kRows, kOther, heads, 8, false));
    expect_right(Problem(kOther, kRows, heads, 8, false));
  }
}

TEST(Attention, WithDropoutAgreesWithTheLoopAndItsFactors) {
  for (int64_t heads : {1, 2, 4}) {
    expect_right(Problem(kRows, kRows, heads, 8, false, kAttentionDropout));
    expect_right(Problem(kRows, kRows, heads, 8, true, kAttentionDropout));
    expect_right(Problem(kRows, kOther, heads, 8, false, kAttentionDropout));
  }
}

TEST(Attention, OfOddWidthsAgreesWithTheLoop) {
  expect_right(Problem(kRows, kRows, 3, 15, true));
  expect_right(Problem(kRows, kRows, 5, 5, false));
  expect_right(Problem(kRows, kRows, 1, 1, false));
}

TEST(Attention, OfOneTokenIsItsValue) {
  const Problem problem(Packed({1, 1, 1}), Packed({1, 1, 1}), 2, 6, true);
  EXPECT_LE(difference(problem.attend(), rows_of(problem.v)), 1e-14);
}

// mathematics.md 1.3, regime T: with W_Q = W_K = 0 attention is the mean over positions.
TEST(Attention, OfZeroQueriesIsTheMeanOfTheValuesItSees) {
  Problem problem(Packed({3}), Packed({3}), 1, 4, true);
  problem.q = at::zeros({3, 4}, at::kDouble);
  const at::Tensor y = problem.attend();
  for (int64_t t = 0; t < 3; ++t) {
    EXPECT_LE((y[t] - problem.v.narrow(0, 0, t + 1).mean(0)).abs().max().item<double>(), 1e-14);
  }
}

TEST(Attention, ThatIsCausalNeverLooksAhead) {
  Problem problem(kRows, kRows, 2, 8, true);
  const at::Tensor before = problem.attend();
  const int64_t changed = kRows.begin(2) + 3;  // the fourth of six tokens
  problem.k = problem.k.clone();
  problem.v = problem.v.clone();
  problem.k[changed].fill_(1e3);
  problem.v[changed].fill_(-1e3);
  const at::Tensor after = problem.attend();
  for (int64_t row = 0; row < kRows.rows(); ++row) {
    const bool may_change = row >= changed && row < kRows.begin(3);
    EXPECT_EQ(at::equal(before[row], after[row]), !may_change) << row;
  }
}

TEST(Attention, NeverLooksIntoAnotherSequence) {
  for (bool causal : {false, true}) {
    Problem problem(kRows, causal ? kRows : kOther, 2, 8, causal);
    const at::Tensor before = problem.attend();
    const Packed& keys = problem.keys;
    problem.k = problem.k.clone();
    problem.v = problem.v.clone();
    problem.k.narrow(0, keys.begin(1), keys.length(1)).fill_(1e3);
    problem.v.narrow(0, keys.begin(1), keys.length(1)).fill_(NAN);
    const at::Tensor after = problem.attend();
    for (int64_t b : {0, 2, 3}) {
      const int64_t begin = kRows.begin(b), length = kRows.length(b);
      EXPECT_TRUE(at::equal(before.narrow(0, begin, length), after.narrow(0, begin, length))) << b;
    }
  }
}

TEST(Attention, GivesASequenceWhatItGetsAlone) {
  for (const Dropout& dropout : {Dropout{}, kAttentionDropout}) {
    const Problem all(kRows, kOther, 2, 8, false, dropout);
    const at::Tensor together = all.attend();
    for (int64_t b = 0; b < kRows.sequences(); ++b) {
      Problem alone = all;
      alone.queries = Packed({kRows.length(b)}, {kRows.samples()[static_cast<size_t>(b)]});
      alone.keys = Packed({kOther.length(b)}, {kOther.samples()[static_cast<size_t>(b)]});
      alone.q = all.q.narrow(0, kRows.begin(b), kRows.length(b));
      alone.k = all.k.narrow(0, kOther.begin(b), kOther.length(b));
      alone.v = all.v.narrow(0, kOther.begin(b), kOther.length(b));
      EXPECT_LE(difference(together.narrow(0, kRows.begin(b), kRows.length(b)), rows_of(alone.attend())), 1e-14) << b;
    }
  }
}

TEST(Attention, StaysFiniteForLargeScores) {
  Problem problem(kRows, kRows, 2, 8, true);
  problem.scale = 1e4;
  expect_right(Problem(kRows, kRows, 2, 8, true));
  EXPECT_LE(difference(problem.attend(), plain_attention(problem)), 1e-10);
}

TEST(Attention, RefusesUnequalNumbersOfSequences) {
  const Problem problem(Packed({2, 2}), Packed({4}), 1, 4, false);
  EXPECT_THROW(problem.attend(), c10::Error);
}

}  // namespace
}  // namespace plumb::test
