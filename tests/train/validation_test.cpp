#include "plumb/train/validation.h"

#include <cmath>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/sha256.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/data/token_file.h"
#include "plumb/decode/generate.h"
#include "plumb/task/generation.h"
#include "plumb/task/parallel_corpus.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

struct Pair {
  std::vector<int32_t> source, target;
};
// Of different lengths, not sorted by them, one with an empty source and one with an empty target.
const std::vector<Pair> kPairs = {
    {{4, 9, 7}, {5, 6}}, {{8}, {9, 10, 4, 4, 11}}, {{}, {7}}, {{6, 6, 5, 4, 10}, {8}}, {{10, 4}, {}}};

class ValidationTest : public testing::Test {
 protected:
  ValidationTest() : corpus_(split(folder_), /*max_length=*/0), model_(config(), 3, at::kDouble) {
    model_.parameters().values().mul_(4);  // larger than at the start, where every output is alike
  }

  static ModelConfig config() {
    ModelConfig model;
    model.width = 8;
    model.heads = 2;
    model.ffn_width = 16;
    model.encoder_layers = 2;
    model.decoder_layers = 2;
    model.source_vocab = 11;
    model.target_vocab = 12;
    model.max_positions = 16;
    model.dropout = model.attention_dropout = model.activation_dropout = 0.5;  // must not act
    return model;
  }

  static PreparedSplit split(const TemporaryDirectory& folder) {
    TokenFileWriter source, target;
    for (const Pair& pair : kPairs) {
      source.add(pair.source);
      target.add(pair.target);
    }
    const PreparedSplit files{{"valid.en", (folder / "source").string(), {}},
                              {"valid.de", (folder / "target").string(), {}}};
    source.write(files.source.tokens, sha256_hex("source"));
    target.write(files.target.tokens, sha256_hex("target"));
    return files;
  }

  static Tokens alone(std::vector<int64_t> ids) {
    const auto length = std::ssize(ids);
    return {at::tensor(ids, at::kLong), ops::Packed({length})};
  }
  static Tokens source_of(const Pair& pair) {
    std::vector<int64_t> ids(pair.source.begin(), pair.source.end());
    ids.push_back(kEos);
    return alone(ids);
  }

  /// Mean over all target tokens of sum_v q_v * -log p_v, one sentence after another: q has `on_target` at the target
  /// and `elsewhere` at every other word.
  double cross_entropy(double on_target, double elsewhere) const {
    double sum = 0;
    int64_t tokens = 0;
    for (const Pair& pair : kPairs) {
      std::vector<int64_t> input = {kEos}, wanted(pair.target.begin(), pair.target.end());
      input.insert(input.end(), wanted.begin(), wanted.end());
      wanted.push_back(kEos);
      const at::Tensor logits = model_.logits(model_.features({source_of(pair), alone(input)}, {})).detach();
      for (int64_t t = 0; t < std::ssize(wanted); ++t) {
        const double* row = logits.data_ptr<double>() + t * logits.size(1);
        double mass = 0;
        for (int64_t v = 0; v < logits.size(1); ++v) mass += std::exp(row[v]);
        for (int64_t v = 0; v < logits.size(1); ++v) {
          const double q = v == wanted[static_cast<size_t>(t)] ? on_target : elsewhere;
          sum += q * (std::log(mass) - row[v]);
        }
        ++tokens;
      }
    }
    return sum / static_cast<double>(tokens);
  }

  std::vector<std::vector<int32_t>> translated(const GenerateConfig& options) const {
    const auto source = [&](const SentenceList& sentences) { return corpus_.source(sentences); };
    std::vector<std::vector<int32_t>> found;
    for (auto& list : generate_all(model_, corpus_.lengths(), source, options, 1)) found.push_back(list.at(0).tokens);
    return found;
  }

  const TemporaryDirectory folder_;
  const ParallelCorpus corpus_;
  Transformer model_;
};

TEST_F(ValidationTest, IsTheMeanOverAllTokensHoweverTheyAreBatched) {
  const double words = config().target_vocab, eps = 0.2;
  TrainConfig train;
  train.label_smoothing = eps;
  for (int64_t max_tokens : {1, 5, 8, 1000}) {
    train.max_tokens = max_tokens;
    train.smoothing_over = SmoothingOver::All;
    const Validation all = validate(model_, corpus_, train);
    EXPECT_NEAR(all.nll, cross_entropy(1, 0), 1e-12) << max_tokens;
    EXPECT_NEAR(all.loss, cross_entropy(1 - eps + eps / words, eps / words), 1e-12) << max_tokens;
    train.smoothing_over = SmoothingOver::Others;
    const Validation others = validate(model_, corpus_, train);
    EXPECT_NEAR(others.nll, all.nll, 1e-12);
    EXPECT_NEAR(others.loss, cross_entropy(1 - eps, eps / (words - 1)), 1e-12) << max_tokens;
  }
  train.label_smoothing = 0;
  const Validation plain = validate(model_, corpus_, train);
  EXPECT_EQ(plain.loss, plain.nll);
  EXPECT_NEAR(std::log(plain.perplexity()), cross_entropy(1, 0), 1e-12);
}

TEST_F(ValidationTest, LeavesTheGradientsAsTheyAre) {
  model_.parameters().gradients().fill_(3);
  validate(model_, corpus_, {});
  EXPECT_TRUE(model_.parameters().gradients().eq(3).all().item<bool>());
}

TEST_F(ValidationTest, TranslatesEverySentenceInTheOrderOfTheCorpus) {
  GenerateConfig options;
  options.beam = 2;
  options.max_len_b = 4;
  for (int64_t max_tokens : {1, 7, 1000}) {
    options.max_tokens = max_tokens;
    const std::vector<std::vector<int32_t>> found = translated(options);
    ASSERT_EQ(found.size(), kPairs.size());
    for (size_t i = 0; i < kPairs.size(); ++i) {
      const auto one = generate(model_, source_of(kPairs[i]), options, /*seed=*/1);
      EXPECT_EQ(found[i], one[0][0].tokens) << i << ' ' << max_tokens;
    }
  }
}

}  // namespace
}  // namespace plumb
