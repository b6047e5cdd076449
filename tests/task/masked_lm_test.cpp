#include <algorithm>
#include <numeric>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/task/task.h"

#include "support/numbers.h"
#include "support/prepared_text.h"

namespace plumb {
namespace {

using test::values;

/// Three documents; a word of document d, line l is 4 + 10 d + l.
std::vector<std::vector<int32_t>> documents() {
  std::vector<std::vector<int32_t>> lines;
  for (int32_t d = 0; d < 3; ++d) {
    for (int32_t l = 0; l < 4; ++l) lines.push_back(std::vector<int32_t>(static_cast<size_t>(3 + l), 4 + 10 * d + l));
    lines.emplace_back();
  }
  return lines;
}

Config config_of(bool next_sentence) {
  Config config;
  config.task = TaskKind::MaskedLm;
  config.data.subwords = Subwords::Word;
  config.model.form = Form::Encoder;
  config.model.head = HeadKind::MaskedWords;
  config.model.segments = 2;
  config.model.next_sentence = next_sentence;
  config.model.source_vocab = 41;  // 40 words and the mask
  config.model.max_positions = 64;
  config.masked_lm.tokens_per_sample = 12;
  return config;
}

class MaskedLmTest : public testing::Test {
 protected:
  MaskedLmTest() : text_(prepared_text(folder_, documents(), 40)) {}

  /// The rows of a batch as they were before they were masked.
  static std::vector<int64_t> unmasked(const TrainingBatch& batch) {
    std::vector<int64_t> ids = values(batch.inputs.source.ids);
    const std::vector<int64_t> rows = values(batch.scored), targets = values(batch.targets);
    for (size_t i = 0; i < rows.size(); ++i) ids[static_cast<size_t>(rows[i])] = targets[i];
    return ids;
  }

  TemporaryDirectory folder_;
  PreparedText text_;
};

TEST_F(MaskedLmTest, ExamplesStayWithinTheirDocument) {
  const auto task = make_task(config_of(false), text_.vocabulary);
  const auto corpus = task->open({text_.side, {}}, true);
  EXPECT_EQ(corpus->lengths().size(), 6u);  // 18 tokens a document: 10 and 8
  std::vector<int64_t> seen;
  for (int64_t example = 0; example < 6; ++example) {
    const TrainingBatch batch = corpus->batch({example}, {.training = true});
    const std::vector<int64_t> ids = unmasked(batch);
    EXPECT_EQ(ids.front(), kBos);
    EXPECT_EQ(ids.back(), kEos);
    EXPECT_EQ(std::ssize(ids), corpus->lengths()[static_cast<size_t>(example)].source);
    for (size_t i = 1; i + 1 < ids.size(); ++i) {
      EXPECT_EQ((ids[i] - 4) / 10, example / 2);
      seen.push_back(ids[i]);
    }
    EXPECT_FALSE(batch.labels.defined());
  }
  std::vector<int64_t> all;
  for (const auto& line : documents()) all.insert(all.end(), line.begin(), line.end());
  EXPECT_EQ(seen, all);
}

TEST_F(MaskedLmTest, MasksAreDrawnAnewInEachEpochAndNeverByTheBatch) {
  const auto task = make_task(config_of(false), text_.vocabulary);
  const auto corpus = task->open({text_.side, {}}, true);
  const auto masked = [&](const SentenceList& examples, int64_t epoch, bool training = true) {
    return values(corpus->batch(examples, {.training = training, .seed = 1, .epoch = epoch}).inputs.source.ids);
  };
  EXPECT_EQ(masked({0, 1, 2, 3}, 0), masked({0, 1, 2, 3}, 0));
  EXPECT_NE(masked({0, 1, 2, 3}, 0), masked({0, 1, 2, 3}, 1));
  EXPECT_EQ(masked({0, 1, 2, 3}, 0, false), masked({0, 1, 2, 3}, 1, false));  // validation stays the same
  const std::vector<int64_t> alone = masked({2}, 0), batch = masked({2, 3}, 0);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), batch.begin()));
}

TEST_F(MaskedLmTest, HalfOfTheSecondHalvesComeFromAnotherDocument) {
  const auto task = make_task(config_of(true), text_.vocabulary);
  const auto corpus = task->open({text_.side, {}}, true);
  SentenceList all(corpus->lengths().size());
  std::iota(all.begin(), all.end(), 0);
  int64_t follows = 0, count = 0;
  for (int64_t epoch = 0; epoch < 200; ++epoch) {
    const TrainingBatch batch = corpus->batch(all, {.training = true, .seed = 1, .epoch = epoch});
    const std::vector<int64_t> ids = unmasked(batch), segments = values(batch.inputs.source.segments);
    for (size_t i = 0; i < all.size(); ++i) {
      const int64_t begin = batch.inputs.source.rows.begin(static_cast<int64_t>(i));
      const int64_t end = begin + batch.inputs.source.rows.length(static_cast<int64_t>(i));
      EXPECT_LE(end - begin, 12);
      const auto document = [&](int64_t row) { return (ids[static_cast<size_t>(row)] - 4) / 10; };
      const bool same = document(begin + 1) == document(end - 2);
      EXPECT_EQ(batch.labels[static_cast<int64_t>(i)].item<int64_t>(), same ? 1 : 0);
      EXPECT_EQ(segments[static_cast<size_t>(begin)], 0);
      EXPECT_EQ(segments[static_cast<size_t>(end - 1)], 1);
      const auto separator = std::find(ids.begin() + begin, ids.begin() + end, kEos) - ids.begin();
      for (int64_t row = begin; row < end; ++row)
        EXPECT_EQ(segments[static_cast<size_t>(row)], row > separator ? 1 : 0);
      follows += same;
      ++count;
    }
  }
  EXPECT_NEAR(static_cast<double>(follows) / static_cast<double>(count), 0.5, 0.06);
}

TEST_F(MaskedLmTest, AMarkCanStartADocument) {
  TemporaryDirectory other;
  PreparedText text = prepared_text(other, {{9}, {4, 4, 4}, {9}, {5, 5}, {5}}, 40);
  Config config = config_of(false);
  config.masked_lm.document_start = "w9";
  const auto corpus = make_task(config, text.vocabulary)->open({text.side, {}}, true);
  ASSERT_EQ(corpus->lengths().size(), 2u);
  EXPECT_EQ(corpus->lengths()[0].source, 5);
  EXPECT_EQ(corpus->lengths()[1].source, 5);
}

TEST_F(MaskedLmTest, ATextWithoutDocumentsIsAnError) {
  TemporaryDirectory other;
  PreparedText text = prepared_text(other, {{}, {}}, 40);
  EXPECT_THROW(make_task(config_of(false), text.vocabulary)->open({text.side, {}}, true), UserError);
}

}  // namespace
}  // namespace plumb
