#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/atomic_file.h"
#include "plumb/task/sentence_pair.h"
#include "plumb/task/task.h"

#include "support/numbers.h"
#include "support/prepared_text.h"

namespace plumb {
namespace {

using test::values;

using testing::ElementsAre;

Config config_of() {
  Config config;
  config.task = TaskKind::Classification;
  config.data.subwords = Subwords::Word;
  config.model.form = Form::Encoder;
  config.model.head = HeadKind::Classes;
  config.model.segments = 2;
  config.model.classes = 2;
  config.model.width = 8;
  config.model.heads = 2;
  config.model.ffn_width = 8;
  config.model.encoder_layers = 1;
  config.model.source_vocab = 21;
  config.model.max_positions = 9;
  config.model.dropout = 0;
  return config;
}

class ClassificationTest : public testing::Test {
 protected:
  ClassificationTest()
      : sentences_(prepared_text(folder_, {{5, 6, kSep, 7}, {8}, {4, 4, 4, 4, 4, 4, kSep, 9, 9, 9}}, 20, "sentences")),
        labels_(prepared_text(folder_, {{5}, {4}, {5}}, 6, "labels")),
        vocabulary_{sentences_.vocabulary.source, labels_.vocabulary.target} {}

  TemporaryDirectory folder_;
  PreparedText sentences_, labels_;
  RunVocabulary vocabulary_;
};

TEST_F(ClassificationTest, PacksPairsAndSingleSentencesAsBertDoes) {
  const auto corpus = make_task(config_of(), vocabulary_)->open({sentences_.side, labels_.side}, true);
  const TrainingBatch batch = corpus->batch({0, 1});
  EXPECT_THAT(values(batch.inputs.source.ids), ElementsAre(0, 5, 6, 2, 7, 2, 0, 8, 2));
  EXPECT_THAT(values(batch.inputs.source.segments), ElementsAre(0, 0, 0, 0, 1, 1, 0, 0, 0));
  EXPECT_THAT(values(batch.targets), ElementsAre(1, 0));
  EXPECT_NEAR(corpus->unigram_entropy(), -(std::log(2.0 / 3) * 2 / 3 + std::log(1.0 / 3) / 3), 1e-12);
}

TEST_F(ClassificationTest, ShortensTheLongerSentenceUntilThePairFits) {
  const auto corpus = make_task(config_of(), vocabulary_)->open({sentences_.side, labels_.side}, true);
  EXPECT_EQ(corpus->lengths()[2].source, 9);
  EXPECT_THAT(values(corpus->batch({2}).inputs.source.ids), ElementsAre(0, 4, 4, 4, 2, 9, 9, 9, 2));
}

TEST_F(ClassificationTest, SaysTheLikelierLabelForLinesAndForACorpus) {
  const Config config = config_of();
  Transformer model(config.model, 3);
  const auto task = make_task(config, vocabulary_);
  for (double bias : {-100.0, 100.0}) {
    model.parameters().value("encoder.classifier.bias")[1] = bias;
    const std::string label = bias > 0 ? "w5" : "w4";
    const std::vector<std::string> lines = {"w5 w6\tw7", "w8"};
    const auto answered = task->answer(model, lines, 0, config);
    ASSERT_EQ(answered.lines.size(), 2u);
    for (const auto& list : answered.lines) EXPECT_EQ(list.at(0).text, label);
    const auto corpus = task->open({sentences_.side, labels_.side}, false);
    EXPECT_THAT(task->outputs(model, *corpus, config.generate), ElementsAre(label, label, label));
  }
}

TEST(SentencePair, RowsCountTheMarks) {
  EXPECT_EQ(pair_rows(3, 0), 5);
  EXPECT_EQ(pair_rows(3, 2), 8);
}

}  // namespace
}  // namespace plumb
