#include "plumb/text/bpe_tokenizer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class BpeTokenizerTest : public testing::Test {
 protected:
  BpeTokenizerTest() {
    write_all(directory_ / "codes", "#version: 0.2\ne r</w>\nl o\nlo w\nt h\nth e</w>\n");
    write_all(directory_ / "dict.txt", "low@@ 9\ner 8\nthe 7\n. 6\nlo@@ 5\n");
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  const TemporaryDirectory directory_;
};

TEST_F(BpeTokenizerTest, TurnsWordsIntoPiecesIdsAndBack) {
  const BpeTokenizer tokenizer({.dict = path("dict.txt"), .codes = path("codes")});
  EXPECT_EQ(tokenizer.size(), 9);
  EXPECT_THAT(tokenizer.pieces(" the  lower\tlow ."), ElementsAre("the", "low@@", "er", "lo@@", "w", "."));
  const std::vector<int32_t> ids = tokenizer.encode("the lower low .");
  EXPECT_THAT(ids, ElementsAre(6, 4, 5, 8, kUnk, 7));
  EXPECT_EQ(tokenizer.decode(ids), "the lower lo<unk> .");
  EXPECT_EQ(tokenizer.join(tokenizer.pieces("the lower low .")), "the lower low .");
  EXPECT_THAT(tokenizer.encode(""), IsEmpty());
  EXPECT_THAT(tokenizer.encode(" \t "), IsEmpty());
  EXPECT_EQ(tokenizer.decode({}), "");
}

TEST_F(BpeTokenizerTest, WithoutCodesTheTextBringsItsOwnPieces) {
  const BpeTokenizer tokenizer({.dict = path("dict.txt")});
  EXPECT_THAT(tokenizer.encode("the low@@ er ."), ElementsAre(6, 4, 5, 7));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("the low@@ er .")), "the lower .");
  EXPECT_THAT(tokenizer.encode("lower"), ElementsAre(kUnk));
}

TEST_F(BpeTokenizerTest, DecodingLeavesTheSpecialsOutAndAJoinerAtTheEnd) {
  const BpeTokenizer tokenizer({.dict = path("dict.txt")});
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{kBos, 6, kPad, 4, 5, kEos}), "the lower");
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{6, 4}), "the low");
}

TEST_F(BpeTokenizerTest, TextCannotEndASentence) {
  const BpeTokenizer tokenizer({.dict = path("dict.txt")});
  EXPECT_THAT(tokenizer.encode("<s> </s> <pad> <unk>"), ElementsAre(kUnk, kUnk, kUnk, kUnk));
}

TEST_F(BpeTokenizerTest, AnIdOutsideTheVocabularyIsAnError) {
  const BpeTokenizer tokenizer({.dict = path("dict.txt")});
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{9}), UserError);
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{-1}), UserError);
}

TEST_F(BpeTokenizerTest, TheFingerprintChangesWithEverythingThatMattersAndNothingElse) {
  const auto print = [](const BpeFiles& files) { return BpeTokenizer(files).fingerprint(); };
  const std::string plain = print({.dict = path("dict.txt")}),
                    coded = print({.dict = path("dict.txt"), .codes = path("codes")});
  EXPECT_EQ(plain.size(), 64u);
  EXPECT_NE(plain, coded);
  write_all(directory_ / "counts.txt", "low@@ 1\ner 1\nthe 1\n. 1\nlo@@ 1\n");
  EXPECT_EQ(print({.dict = path("counts.txt")}), plain);
  write_all(directory_ / "order.txt", "er 8\nlow@@ 9\nthe 7\n. 6\nlo@@ 5\n");
  EXPECT_NE(print({.dict = path("order.txt")}), plain);
  const BpeFiles restricted{
      .dict = path("dict.txt"), .codes = path("codes"), .vocabulary = path("dict.txt"), .vocabulary_threshold = 6};
  EXPECT_NE(print(restricted), coded);
}

TEST_F(BpeTokenizerTest, AVocabularyNeedsCodes) {
  EXPECT_THROW(BpeTokenizer({.dict = path("dict.txt"), .vocabulary = path("dict.txt")}), UserError);
}

}  // namespace
}  // namespace plumb
