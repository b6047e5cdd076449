// The kernels of tangents on every instruction set, against the one that is used here. tests/ops/tangent_test.cpp holds
// that one against second derivatives in double.

#include "plumb/kernel/attention_tangent.h"
#include "plumb/kernel/cross_entropy.h"
#include "plumb/kernel/norm_tangent.h"

#include "kernel/support/rows.h"

namespace plumb::kernel {
namespace {

using Results = std::vector<std::vector<float>>;

class TangentKernels : public EveryTarget {
 protected:
  /// What `compute` gives on the target of the test and on the best one.
  static void expect_as_on_the_best(const std::function<Results()>& compute) {
    const Results here = compute();
    hwy::SetSupportedTargetsForTest(0);
    const Results best = compute();
    hwy::SetSupportedTargetsForTest(GetParam());
    for (size_t i = 0; i < best.size(); ++i) {
      expect_close(here[i], widened(best[i]), 2e-6, "result " + std::to_string(i),
                   /*least=*/4);  // what cancels to nothing is made of sums over 16 products
    }
  }
};

Results norm(NormKind kind, int64_t width) {
  const int64_t rows = 7;
  const auto numbers = [&](uint32_t seed) { return normal_numbers(rows * width, seed); };
  const std::vector<float> x = numbers(1), dot_x = numbers(2), dy = numbers(3), dy_dot = numbers(4);
  const std::vector<float> weight = normal_numbers(width, 5), bias = normal_numbers(width, 6),
                           dot_weight = normal_numbers(width, 7), dot_bias = normal_numbers(width, 8);
  const NormTangentTerms terms{.norm = {.kind = kind, .eps = 1e-2F, .weight = weight.data(), .bias = bias.data()},
                               .dot_weight = dot_weight.data(),
                               .dot_bias = dot_bias.data(),
                               .width = width,
                               .x = x.data(),
                               .dot_x = dot_x.data()};
  Guarded y(rows * width), dot_y(rows * width), dx(rows * width), dx_dot(rows * width), dweight(width), dbias(width);
  norm_tangent_forward({.terms = terms, .y = y.data(), .dot_y = dot_y.data()}, 0, rows);
  norm_tangent_backward({.terms = terms,
                         .dy = dy.data(),
                         .dy_dot = dy_dot.data(),
                         .dx = dx.data(),
                         .dx_dot = dx_dot.data(),
                         .gradients = {.weight = dweight.data(), .bias = dbias.data()}},
                        0, rows);
  return {y.values(), dot_y.values(), dx.values(), dx_dot.values(), dweight.values(), dbias.values()};
}

TEST_P(TangentKernels, OfNorms) {
  for (NormKind kind : {NormKind::Layer, NormKind::Rms}) {
    for (int64_t width : {1, 5, 32, 77}) expect_as_on_the_best([=] { return norm(kind, width); });
  }
}

Results attention(int64_t queries, int64_t keys, int64_t width, bool causal, const AttentionDropout* dropout) {
  const auto rows = [&](int64_t count, uint32_t seed) { return normal_numbers(count * width, seed); };
  const std::vector<float> q = rows(queries, 1), k = rows(keys, 2), v = rows(keys, 3), dot_q = rows(queries, 4),
                           dot_k = rows(keys, 5), dot_v = rows(keys, 6), dy = rows(queries, 7),
                           dy_dot = rows(queries, 8);
  std::vector<float> scratch(std::max(attention_scratch(keys, width), attention_tangent_scratch(keys, width)));
  const AttentionCall call{queries, keys, width, 0.3F, causal, dropout, scratch.data()};
  const auto read = [&](const std::vector<float>& x) { return HeadRows{x.data(), width}; };
  Guarded y(queries * width), lse(queries), dot_y(queries * width);
  Guarded dq(queries * width), dk(keys * width), dv(keys * width), dq_dot(queries * width), dk_dot(keys * width),
      dv_dot(keys * width);
  const auto room = [&](Guarded& x) { return MutableHeadRows{x.data(), width}; };
  attention_forward(call, read(q), read(k), read(v), room(y), lse.data());
  const AttentionTangentSaved saved{read(q), read(k), read(v), read(dot_q), read(dot_k), read(dot_v), lse.data()};
  attention_tangent_forward(call, saved, room(dot_y));
  attention_tangent_backward(call, saved, read(dy), read(dy_dot),
                             {room(dq), room(dk), room(dv), room(dq_dot), room(dk_dot), room(dv_dot)});
  return {dot_y.values(), dq.values(), dk.values(), dv.values(), dq_dot.values(), dk_dot.values(), dv_dot.values()};
}

TEST_P(TangentKernels, OfAttention) {
  const AttentionDropout dropout{.key = dropout_key(0.3), .sample = 5, .head = 1};
  for (const AttentionDropout* drops : {static_cast<const AttentionDropout*>(nullptr), &dropout}) {
    for (int64_t queries : {1, 9, 40}) {
      expect_as_on_the_best([=] { return attention(queries, 23, 10, false, drops); });
      expect_as_on_the_best([=] { return attention(queries, queries, 16, true, drops); });
    }
  }
}

TEST_P(TangentKernels, OfCrossEntropy) {
  const int64_t words = 77, rows = 3;
  expect_as_on_the_best([=] {
    Guarded logits(normal_numbers(rows * words, 1)), dots(normal_numbers(rows * words, 2));
    const std::vector<int64_t> targets = {0, 76, 5};
    std::vector<double> smoothed(rows), nll(rows), tangents(rows);
    const CrossEntropyTerms terms{.words = words,
                                  .targets = targets.data(),
                                  .eps = 0.1,
                                  .over = SmoothingOver::All,
                                  .smoothed = smoothed.data(),
                                  .nll = nll.data()};
    cross_entropy_tangent(terms, logits.data(), dots.data(), tangents.data(), 0, rows);
    return Results{logits.values(), dots.values(), narrowed(tangents), narrowed(smoothed)};
  });
}

INSTANTIATE_TEST_SUITE_P(Targets, TangentKernels, ::testing::ValuesIn(targets()), target_name);

}  // namespace
}  // namespace plumb::kernel
