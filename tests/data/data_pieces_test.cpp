#include "plumb/data/data_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Contents : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    write_all(folder_ / name, text);
    return (folder_ / name).string();
  }

  Prepared prepared() {
    Prepared data;
    data.source_tokenizer.model = file("source.model", "a model");
    data.target_tokenizer.codes = file("codes", "some codes");
    data.target_tokenizer.dict = file("dict", "a dictionary");
    data.source_vocab = 20;
    data.target_vocab = 30;
    data.train.source.text = file("train.en", "one\ntwo\n");
    data.train.target.text = file("train.de", "eins\nzwei\n");
    data.valid.source.text = file("valid.en", "three\n");
    data.valid.target.text = file("valid.de", "drei\n");
    return data;
  }

  TemporaryDirectory folder_;
};

TEST_F(Contents, ThatDidNotChangeHaveNoDifferences) {
  const nlohmann::json before = pieces_to_json(data_pieces(prepared(), 2, 1));
  EXPECT_EQ(before.size(), 6);
  EXPECT_THAT(data_differences(before, data_pieces(prepared(), 2, 1)), IsEmpty());
}

TEST_F(Contents, NameTheFileThatChangedAndItsLines) {
  Prepared data = prepared();
  const nlohmann::json before = pieces_to_json(data_pieces(data, 2, 1));
  const std::string train = file("train.en", "one\ntwo\nthree\n"), valid = file("valid.de", "vier\n");
  EXPECT_THAT(data_differences(before, data_pieces(data, 3, 1)),
              ElementsAre("the training source (" + train + ") had 2 lines, has 3",
                          "the validation target (" + valid + ") has other lines"));
}

TEST_F(Contents, NameTheVocabularyThatChanged) {
  Prepared data = prepared();
  const nlohmann::json before = pieces_to_json(data_pieces(data, 2, 1));
  file("source.model", "another model");
  EXPECT_THAT(data_differences(before, data_pieces(data, 2, 1)), ElementsAre("the source vocabulary has other tokens"));
  file("codes", "other codes");
  data.target_vocab = 31;
  EXPECT_THAT(data_differences(before, data_pieces(data, 2, 1)),
              ElementsAre("the source vocabulary has other tokens", "the target vocabulary had 30 tokens, has 31"));
}

TEST_F(Contents, NameAJointVocabularyOnce) {
  Prepared data = prepared();
  data.target_tokenizer = data.source_tokenizer;
  data.target_vocab = data.source_vocab;
  const nlohmann::json before = pieces_to_json(data_pieces(data, 2, 1));
  file("source.model", "another model");
  data.source_vocab = data.target_vocab = 25;
  EXPECT_THAT(data_differences(before, data_pieces(data, 2, 1)), ElementsAre("the vocabulary had 20 tokens, has 25"));
}

TEST_F(Contents, NameAudioThatChangedUnderItsName) {
  Prepared data = prepared();
  data.train.source.contents = "a digest";
  data.valid.source.contents = "another";
  const nlohmann::json before = pieces_to_json(data_pieces(data, 2, 1));
  data.train.source.text = file("moved", "the same recordings elsewhere\n");
  EXPECT_THAT(data_differences(before, data_pieces(data, 2, 1)), IsEmpty());
  data.train.source.contents = "a third";
  EXPECT_THAT(data_differences(before, data_pieces(data, 2, 1)),
              ElementsAre("the training audio (" + data.train.source.text + ") has other recordings"));
}

TEST_F(Contents, ThatWereNotKeptAreNotCompared) {
  EXPECT_THAT(data_differences(nlohmann::json::object(), data_pieces(prepared(), 2, 1)), IsEmpty());
}

TEST_F(Contents, OfARunsVocabulariesAreThoseThatItWasTrainedWith) {
  const Prepared data = prepared();
  const nlohmann::json before = pieces_to_json(data_pieces(data, 2, 1));
  const RunVocabulary kept{data.source_tokenizer, data.target_tokenizer};
  EXPECT_THAT(vocabulary_differences(before, kept), IsEmpty());
  EXPECT_THAT(vocabulary_differences(nlohmann::json::object(), kept), IsEmpty());  // of old
  file("source.model", "another model");
  EXPECT_THAT(vocabulary_differences(before, kept), ElementsAre("the source vocabulary"));
  file("dict", "another dictionary");
  EXPECT_THAT(vocabulary_differences(before, kept), ElementsAre("the source vocabulary", "the target vocabulary"));
}

TEST_F(Contents, OfARunsStatisticsAreThoseThatItWasTrainedWith) {
  RunVocabulary kept;
  EXPECT_TRUE(kept_statistics(kept).empty());
  kept.frames = file("frames.json", "means");
  const nlohmann::json before = pieces_to_json(kept_statistics(kept));
  EXPECT_THAT(vocabulary_differences(before, kept), IsEmpty());
  file("frames.json", "other means");
  EXPECT_THAT(vocabulary_differences(before, kept), ElementsAre("the frame statistics"));
  kept.frames.clear();
  EXPECT_THAT(vocabulary_differences(before, kept), ElementsAre("the frame statistics"));
}

}  // namespace
}  // namespace plumb
