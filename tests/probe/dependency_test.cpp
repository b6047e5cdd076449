// beta_ij: the components of every state add up to it, for every row of the table; and for rows whose shares can be
// written down, they are those.

#include "plumb/probe/dependency.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "plumb/config/stack_plan.h"

#include "nn/support/every_row.h"

namespace plumb::probe {
namespace {

using namespace plumb::test;

TapRecorder watched(const Transformer& model, const Batch& batch) {
  TapRecorder taps;
  at::NoGradGuard no_grad;
  model.features(batch, {.observer = &taps});
  return taps;
}

class DependencyOf : public EveryRow {};

TEST_P(DependencyOf, ComponentsAddUpToTheState) {
  Transformer model(config(), 1, at::kFloat);
  randomise(model, 5);  // biases of norms, mixing weights and learned scales as well
  const TapRecorder taps = watched(model, tiny_batch(config()));
  for (Stack stack : {Stack::Encoder, Stack::Decoder}) {
    if (!config().shape().has(stack)) continue;
    const Dependency found = dependency_of(model, stack, taps);
    EXPECT_LT(found.error, 1e-4) << word(stack);
    EXPECT_EQ(found.beta.size(), static_cast<size_t>(config().shape().sublayers(stack)));
    EXPECT_EQ(found.exact, stack_plan(config(), stack).norm != NormKind::Dyt);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, DependencyOf, every_row(), row_name);

double variance(const at::Tensor& x) {
  return x.var(-1, /*unbiased=*/false).mean().item<double>();
}

std::string encoder_tap(int layer, const std::string& point) {
  return "encoder." + std::to_string(layer) + '.' + point;
}

// Nothing happens to a branch of Pre-LN once it has been added.
TEST(Dependency, OfPreLnIsTheRatioOfDeviations) {
  const ModelConfig config = tiny(Form::Encoder, "pre_ln");
  const Transformer model(config, 1, at::kDouble);
  const TapRecorder taps = watched(model, tiny_batch(config));
  const Dependency found = dependency_of(model, Stack::Encoder, taps);
  const char* sublayers[] = {"self_attn", "ffn"};
  for (int i = 0; i < 6; ++i) {
    const double whole = variance(taps.value(encoder_tap(i / 2, std::string(sublayers[i % 2]) + ".out")));
    for (int j = 0; j <= i; ++j) {
      const double branch = variance(taps.value(encoder_tap(j / 2, std::string(sublayers[j % 2]) + ".branch")));
      EXPECT_NEAR(found.beta[i][j + 1], std::sqrt(branch / whole), 1e-9) << i << ' ' << j;
    }
    EXPECT_NEAR(found.beta[i][0], std::sqrt(variance(taps.value("encoder.embed")) / whole), 1e-9) << i;
  }
}

// A norm divides what it gets by a number per token: written out for one branch on its way through two of them.
TEST(Dependency, OfPostLnShrinksByEveryNormOnTheWay) {
  const ModelConfig config = tiny(Form::Encoder, "post_ln");
  const Transformer model(config, 1, at::kDouble);
  const TapRecorder taps = watched(model, tiny_batch(config));
  const Dependency found = dependency_of(model, Stack::Encoder, taps);
  const auto sigma = [&](const std::string& sum) {
    return (taps.value(sum).var(-1, /*unbiased=*/false, /*keepdim=*/true) + 1e-5).sqrt();
  };
  at::Tensor part = taps.value("encoder.0.self_attn.branch");
  part = (part - part.mean(-1, true)) / sigma("encoder.0.self_attn.sum");
  EXPECT_NEAR(found.beta[0][1], std::sqrt(variance(part) / variance(taps.value("encoder.0.self_attn.out"))), 1e-9);
  part = part / sigma("encoder.0.ffn.sum");
  EXPECT_NEAR(found.beta[1][1], std::sqrt(variance(part) / variance(taps.value("encoder.0.ffn.out"))), 1e-9);
}

// B2T carries the input of a layer past its inner norms: the embedding keeps a larger share than in Post-LN.
TEST(Dependency, OfB2tKeepsMoreOfTheBottom) {
  double share[2];
  for (int i = 0; i < 2; ++i) {
    const ModelConfig config = tiny(Form::Encoder, i == 0 ? "post_ln" : "b2t");
    const Transformer model(config, 1, at::kDouble);
    share[i] = dependency_of(model, Stack::Encoder, watched(model, tiny_batch(config))).beta.back()[0];
  }
  EXPECT_GT(share[1], 1.2 * share[0]);
}

}  // namespace
}  // namespace plumb::probe
