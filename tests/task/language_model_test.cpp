#include <cmath>
#include <numeric>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/catalogue/special_ids.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/task/loss.h"
#include "plumb/task/task.h"
#include "plumb/train/validation.h"

#include "support/numbers.h"
#include "support/prepared_text.h"

namespace plumb {
namespace {

using test::values;

using testing::ElementsAre;

const std::vector<std::vector<int32_t>> kLines = {{4, 5, 6}, {}, {7, 8}, {9, 10, 11, 12, 13}, {4}};
// 4 5 6 | </s> </s> 7 8 </s> 9 10 11 12 13 </s> 4 </s>: 16 tokens

Config config_of(BreakMode mode, int64_t tokens, int64_t context = 0) {
  Config config;
  config.task = TaskKind::LanguageModel;
  config.data.subwords = Subwords::Word;
  config.model.form = Form::Decoder;
  config.model.width = 8;
  config.model.heads = 2;
  config.model.ffn_width = 16;
  config.model.decoder_layers = 2;
  config.model.target_vocab = 14;
  config.model.max_positions = 32;
  config.model.dropout = 0;
  config.language_model = {mode, tokens, context};
  config.train.label_smoothing = 0;
  return config;
}

class LanguageModelTest : public testing::Test {
 protected:
  std::unique_ptr<TaskCorpus> open(const Config& config, bool training = true) const {
    return make_task(config, text_.vocabulary)->open({text_.side, {}}, training);
  }

  TemporaryDirectory folder_;
  PreparedText text_ = prepared_text(folder_, kLines, 14);
};

TEST_F(LanguageModelTest, BlocksGoOnFromOneAnother) {
  const auto corpus = open(config_of(BreakMode::None, 7));
  ASSERT_EQ(corpus->lengths().size(), 3u);
  const TrainingBatch batch = corpus->batch({0, 1, 2});
  EXPECT_THAT(values(batch.targets), ElementsAre(4, 5, 6, 2, 2, 7, 8, 2, 9, 10, 11, 12, 13, 2, 4, 2));
  EXPECT_THAT(values(batch.inputs.target.ids), ElementsAre(2, 4, 5, 6, 2, 2, 7, 8, 2, 9, 10, 11, 12, 13, 2, 4));
  EXPECT_EQ(batch.inputs.target.rows.length(2), 2);
  EXPECT_FALSE(batch.scored.defined());
}

TEST_F(LanguageModelTest, ItsNumbersAreThoseOfItsRow) {
  const Config config = config_of(BreakMode::None, 7);
  const auto corpus = open(config);
  const auto numbers = make_task(config, text_.vocabulary)->numbers(*corpus, Validation{});
  const auto wanted = task_row(TaskKind::LanguageModel).numbers;
  ASSERT_EQ(numbers.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(numbers[i].first, wanted[i]);
}

TEST_F(LanguageModelTest, LinesStandAloneOrAsManyAsFit) {
  const auto alone = open(config_of(BreakMode::Eos, 7));
  EXPECT_EQ(alone->lengths().size(), 5u);
  EXPECT_THAT(values(alone->batch({3}).inputs.target.ids), ElementsAre(2, 9, 10, 11, 12, 13));
  EXPECT_THAT(values(alone->batch({3}).targets), ElementsAre(9, 10, 11, 12, 13, 2));
  EXPECT_THAT(values(alone->batch({1}).targets), ElementsAre(2));
  const auto packed = open(config_of(BreakMode::Complete, 8));
  ASSERT_EQ(packed->lengths().size(), 2u);
  EXPECT_THAT(values(packed->batch({0}).targets), ElementsAre(4, 5, 6, 2, 2, 7, 8, 2));
  EXPECT_THAT(values(packed->batch({1}).targets), ElementsAre(9, 10, 11, 12, 13, 2, 4, 2));
  const auto narrow = open(config_of(BreakMode::Eos, 3));
  EXPECT_EQ(narrow->lengths().size(), 3u);
  EXPECT_EQ(narrow->left_out(), 2);
}

TEST_F(LanguageModelTest, EvaluationLeavesNothingOut) {
  for (BreakMode mode : {BreakMode::None, BreakMode::Complete, BreakMode::Eos}) {
    const auto corpus = open(config_of(mode, 3), /*training=*/false);
    SentenceList all(corpus->lengths().size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_THAT(values(corpus->batch(all).targets), ElementsAre(4, 5, 6, 2, 2, 7, 8, 2, 9, 10, 11, 12, 13, 2, 4, 2));
    EXPECT_EQ(corpus->left_out(), 0);
  }
}

TEST_F(LanguageModelTest, EntropyIsThatOfTheTokensWithTheEndsOfLines) {
  double entropy = 0;
  for (double count : {5.0, 2.0}) entropy -= count / 16 * std::log(count / 16);  // </s>, w4
  entropy -= 9 * (1.0 / 16 * std::log(1.0 / 16));
  EXPECT_NEAR(open(config_of(BreakMode::None, 7))->unigram_entropy(), entropy, 1e-12);
}

TEST_F(LanguageModelTest, EveryTokenIsScoredOnceHoweverLongTheContextIs) {
  for (int64_t context : {0, 1, 3, 20}) {
    const auto corpus = open(config_of(BreakMode::None, 4, context), /*training=*/false);
    SentenceList all(corpus->lengths().size());
    std::iota(all.begin(), all.end(), 0);
    const TrainingBatch batch = corpus->batch(all);
    EXPECT_THAT(values(batch.targets), ElementsAre(4, 5, 6, 2, 2, 7, 8, 2, 9, 10, 11, 12, 13, 2, 4, 2)) << context;
    if (context == 0) continue;
    // A scored row holds the token before its target.
    const at::Tensor inputs = batch.inputs.target.ids.index_select(0, batch.scored);
    EXPECT_THAT(values(inputs), ElementsAre(2, 4, 5, 6, 2, 2, 7, 8, 2, 9, 10, 11, 12, 13, 2, 4)) << context;
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(batch.inputs.target.rows.length(static_cast<int64_t>(i)), corpus->lengths()[i].target);
    }
  }
}

// With all that came before as its context a block costs what it costs in one piece.
TEST_F(LanguageModelTest, AWholeContextMakesBlocksAsGoodAsOnePiece) {
  const Config whole = config_of(BreakMode::None, 16), windows = config_of(BreakMode::None, 4, 16);
  const Transformer model(whole.model, 3, at::kDouble);
  const double in_one = validate(model, *open(whole, false), whole.train).nll;
  EXPECT_NEAR(validate(model, *open(windows, false), windows.train).nll, in_one, 1e-12);
  const Config blocks = config_of(BreakMode::None, 4);
  EXPECT_GT(std::abs(validate(model, *open(blocks, false), blocks.train).nll - in_one), 1e-6);
}

TEST_F(LanguageModelTest, PackedBatchesEqualOneAtATime) {
  const Config config = config_of(BreakMode::Complete, 8);
  const Transformer model(config.model, 3, at::kDouble);
  const auto corpus = open(config);
  const double both = losses(model, corpus->batch({0, 1}), config.train, {}).nll.item<double>();
  const double first = losses(model, corpus->batch({0}), config.train, {}).nll.item<double>();
  const double second = losses(model, corpus->batch({1}), config.train, {}).nll.item<double>();
  EXPECT_NEAR(both, first + second, 1e-12);
}

TEST_F(LanguageModelTest, PerplexitiesPerWordAndByteCountTheText) {
  const Config config = config_of(BreakMode::None, 7);
  const auto task = make_task(config, text_.vocabulary);
  const auto corpus = task->open({text_.side, {}}, false);
  const auto numbers = task->numbers(*corpus, {.loss = 2, .nll = 2, .targets = 16});
  // 11 words and 5 ends of lines; "w4 w5 w6\n\nw7 w8\nw9 w10 w11 w12 w13\nw4\n" has 38 bytes
  EXPECT_EQ(numbers[0].first, "ppl_word");
  EXPECT_NEAR(numbers[0].second, std::exp(2.0), 1e-12);
  EXPECT_EQ(numbers[1].first, "ppl_byte");
  EXPECT_NEAR(numbers[1].second, std::exp(32.0 / 38), 1e-12);
  EXPECT_NEAR(numbers[2].second, 32.0 / 38 / std::log(2), 1e-12);
}

// Greedy by hand, the whole text again for every token.
TEST_F(LanguageModelTest, GoesOnFromAPromptAsOneTokenAfterAnother) {
  Config config = config_of(BreakMode::None, 7);
  config.generate.beam = config.generate.nbest = 1;
  config.generate.max_len_b = 6;
  Transformer model(config.model, 5);
  model.parameters().values().mul_(3);
  const std::vector<std::string> prompts = {"w4 w5 w6", "", "w9"};
  const auto answered = make_task(config, text_.vocabulary)->answer(model, prompts, 0, config);
  const std::vector<std::vector<int64_t>> ids = {{4, 5, 6}, {}, {9}};
  for (size_t i = 0; i < prompts.size(); ++i) {
    std::vector<int64_t> tokens = {kEos};
    tokens.insert(tokens.end(), ids[i].begin(), ids[i].end());
    std::string text = prompts[i];
    for (int step = 0; step < 6; ++step) {
      const Tokens so_far{at::tensor(tokens, at::kLong), ops::Packed({std::ssize(tokens)})};
      at::Tensor last = model.logits(model.features({{}, so_far}, {}))[-1].detach();
      for (int32_t never : {kBos, kPad}) last[never] = -1e9;
      if (step == 0) last[kEos] = -1e9;  // generate.min_length is 1
      const int64_t next = last.argmax().item<int64_t>();
      if (next == kEos) break;
      text += (text.empty() ? "" : " ") + (next == kUnk ? "<unk>" : "w" + std::to_string(next));
      tokens.push_back(next);
    }
    ASSERT_EQ(answered.lines[i].size(), 1u);
    EXPECT_EQ(answered.lines[i][0].text, text);
  }
}

}  // namespace
}  // namespace plumb
