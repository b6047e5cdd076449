// A model under the search: what comes out must be what whole forward passes, one for each prefix, say.

#include "plumb/decode/generate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using testing::Each;
using testing::Field;
using testing::SizeIs;

constexpr uint64_t kSeed = 5;

const std::vector<std::vector<int64_t>> kSources = {{4, 9, 7, 2}, {5, 2}, {8, 6, 10, 4, 7, 2}, {2}};

ModelConfig tiny() {
  ModelConfig model;
  model.width = 8;
  model.heads = 2;
  model.ffn_width = 16;
  model.encoder_layers = 2;
  model.decoder_layers = 2;
  model.source_vocab = 11;
  model.target_vocab = 12;
  model.max_positions = 16;
  model.dropout = 0.3;  // must not act
  return model;
}

// With larger weights than those of a model at its start, whose outputs are all alike.
class Decided : public Transformer {
 public:
  explicit Decided(const ModelConfig& config) : Transformer(config, 7, at::kDouble) { parameters().values().mul_(4); }
};

Tokens packed(const std::vector<std::vector<int64_t>>& sentences, const std::vector<int64_t>& samples) {
  std::vector<int64_t> ids, lengths;
  for (const auto& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(std::ssize(sentence));
  }
  return {at::tensor(ids, at::kLong), ops::Packed(lengths, samples)};
}

Tokens all_sources() {
  return packed(kSources, {40, 41, 42, 43});
}

/// log p of every next token after a prefix, from one pass over the whole prefix.
std::vector<double> next_log_p(const Transformer& model, const std::vector<int64_t>& source,
                               const std::vector<int32_t>& prefix) {
  std::vector<int64_t> input = {kEos};
  input.insert(input.end(), prefix.begin(), prefix.end());
  const Batch batch{packed({source}, {0}), packed({input}, {0})};
  const at::Tensor last = model.logits(model.features(batch, {}))[std::ssize(input) - 1].detach();
  std::vector<double> log_p(last.data_ptr<double>(), last.data_ptr<double>() + last.numel());
  double sum = 0;
  for (double x : log_p) sum += std::exp(x);
  for (double& x : log_p) x -= std::log(sum);
  return log_p;
}

double log_probability(const Transformer& model, const std::vector<int64_t>& source,
                       const std::vector<int32_t>& tokens) {
  double sum = 0;
  for (size_t t = 0; t <= tokens.size(); ++t) {
    const std::vector<int32_t> prefix(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(t));
    sum += next_log_p(model, source, prefix)[t < tokens.size() ? static_cast<size_t>(tokens[t]) : kEos];
  }
  return sum;
}

std::vector<int32_t> greedy(const Transformer& model, const std::vector<int64_t>& source, size_t longest) {
  std::vector<int32_t> tokens;
  while (tokens.size() < longest) {
    std::vector<double> log_p = next_log_p(model, source, tokens);
    log_p[kBos] = log_p[kPad] = -std::numeric_limits<double>::infinity();
    if (tokens.empty()) log_p[kEos] = -std::numeric_limits<double>::infinity();
    const auto best = static_cast<int32_t>(std::ranges::max_element(log_p) - log_p.begin());
    if (best == kEos) break;
    tokens.push_back(best);
  }
  return tokens;
}

TEST(Generate, WithABeamOfOneTakesTheLikeliestTokenOfEachPrefix) {
  const Decided model(tiny());
  const GenerateConfig options{.beam = 1, .max_len_a = 0, .max_len_b = 9};
  const auto found = generate(model, all_sources(), options, kSeed);
  ASSERT_EQ(found.size(), kSources.size());
  for (size_t i = 0; i < kSources.size(); ++i) {
    ASSERT_THAT(found[i], SizeIs(1));
    EXPECT_EQ(found[i][0].tokens, greedy(model, kSources[i], 9)) << i;
    EXPECT_NEAR(found[i][0].log_probability, log_probability(model, kSources[i], found[i][0].tokens), 1e-10) << i;
  }
}

TEST(Generate, ScoresEveryHypothesisOfABeamByItsOwnTokens) {
  const Decided model(tiny());
  const GenerateConfig options{.beam = 4, .lenpen = 0.7, .nbest = 4, .max_len_a = 0, .max_len_b = 6};
  const auto found = generate(model, all_sources(), options, kSeed);
  for (size_t i = 0; i < kSources.size(); ++i) {
    ASSERT_THAT(found[i], SizeIs(4));
    for (const Hypothesis& one : found[i]) {
      const double expected = log_probability(model, kSources[i], one.tokens);
      EXPECT_NEAR(one.log_probability, expected, 1e-10) << i;
      EXPECT_NEAR(one.score, expected / std::pow(static_cast<double>(one.tokens.size() + 1), 0.7), 1e-10) << i;
    }
    EXPECT_GE(found[i][0].score, found[i][3].score);
  }
}

TEST(Generate, OfASentenceDependsOnItsNameAndTheSeedAndNotOnItsBatch) {
  const Decided model(tiny());
  for (bool sampling : {false, true}) {
    const GenerateConfig options{.beam = 3, .nbest = 3, .max_len_a = 0, .max_len_b = 8, .sampling = sampling};
    const auto together = generate(model, all_sources(), options, kSeed);
    for (size_t i = 0; i < kSources.size(); ++i) {
      const auto alone = generate(model, packed({kSources[i]}, {40 + static_cast<int64_t>(i)}), options, kSeed);
      ASSERT_EQ(alone[0].size(), together[i].size());
      for (size_t k = 0; k < alone[0].size(); ++k) EXPECT_EQ(alone[0][k].tokens, together[i][k].tokens) << i << k;
    }
  }
  const GenerateConfig options{.beam = 8, .nbest = 8, .max_len_a = 0, .max_len_b = 8, .sampling = true};
  const auto one = generate(model, packed({kSources[0]}, {1}), options, kSeed),
             two = generate(model, packed({kSources[0]}, {2}), options, kSeed);
  const auto differ = [](const Hypothesis& a, const Hypothesis& b) { return a.tokens != b.tokens; };
  EXPECT_FALSE(std::ranges::equal(one[0], two[0], std::not_fn(differ)));
  const auto other_seed = generate(model, packed({kSources[0]}, {1}), options, kSeed + 1);
  EXPECT_FALSE(std::ranges::equal(one[0], other_seed[0], std::not_fn(differ)));
}

TEST(Generate, CountsTheSourceWithoutItsEndForTheLongestOutput) {
  const Decided model(tiny());
  // At least ten tokens and at most 2 * length + 1: the limit wins.
  const GenerateConfig options{.beam = 2, .nbest = 2, .min_length = 10, .max_len_a = 2, .max_len_b = 1};
  const auto found = generate(model, packed({{5, 2}, {4, 9, 2}}, {0, 1}), options, kSeed);
  EXPECT_THAT(found[0], Each(Field(&Hypothesis::tokens, SizeIs(3))));
  EXPECT_THAT(found[1], Each(Field(&Hypothesis::tokens, SizeIs(5))));
}

TEST(Generate, EndsBeforeTheModelRunsOutOfPositions) {
  ModelConfig config = tiny();
  for (const Positions positions : {Positions::Fairseq, Positions::Learned}) {
    config.positions = positions;
    config.max_positions = 6;
    const Decided model(config);
    const GenerateConfig options{.beam = 2, .min_length = 100, .max_len_a = 0, .max_len_b = 1000};
    const auto found = generate(model, packed({{4, 9, 7, 5, 6, 2}, {5, 2}}, {0, 1}), options, kSeed);
    for (const auto& list : found) EXPECT_THAT(list[0].tokens, SizeIs(5));  // and </s>
  }
}

}  // namespace
}  // namespace plumb
