#include "plumb/text/word_tokenizer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/text/bpe_tokenizer.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WordTokenizerTest : public testing::Test {
 protected:
  WordTokenizerTest() { write_all(dict_, "the 9\n@-@ 8\nwell@@ 7\ncafé 6\n中文 5\n👩‍👩‍👧 4\n"); }

  const TemporaryDirectory directory_;
  const std::string dict_ = (directory_ / "dict.txt").string();
};

TEST_F(WordTokenizerTest, TurnsWordsIntoIdsAndBack) {
  const WordTokenizer tokenizer(dict_);
  EXPECT_EQ(tokenizer.size(), 10);
  EXPECT_THAT(tokenizer.encode("the café @-@ 中文"), ElementsAre(4, 7, 5, 8));
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{kBos, 4, kPad, 9, kEos}), "the 👩‍👩‍👧");
  EXPECT_EQ(tokenizer.vocabulary()[6], "well@@");
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{10}), UserError);
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{-1}), UserError);
}

TEST_F(WordTokenizerTest, GivesBackTheLineWithOneBlankBetweenWords) {
  const WordTokenizer tokenizer(dict_);
  const auto back = [&](std::string_view line) { return tokenizer.decode(tokenizer.encode(line)); };
  EXPECT_EQ(back("  the \t well@@  @-@\u00A0café\u3000中文 "), "the well@@ @-@ café 中文");
  EXPECT_EQ(back("👩‍👩‍👧 the"), "👩‍👩‍👧 the") << "a joiner of zero width is no white space";
  EXPECT_EQ(back("well@@"), "well@@");
  EXPECT_EQ(back(" \t"), "");
  EXPECT_EQ(back(""), "");
}

TEST_F(WordTokenizerTest, KeepsUnknownWordsInPiecesAndShowsThemInText) {
  const WordTokenizer tokenizer(dict_);
  EXPECT_THAT(tokenizer.encode("the dog"), ElementsAre(4, kUnk));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("the dog")), "the <unk>");
  EXPECT_EQ(tokenizer.join(tokenizer.pieces("the dog \xFF\xFE")), "the dog \xFF\xFE");
  EXPECT_THAT(tokenizer.encode("\xFF \xC3"), ElementsAre(kUnk, kUnk));
}

TEST_F(WordTokenizerTest, TextCannotEndASentence) {
  const WordTokenizer tokenizer(dict_);
  EXPECT_THAT(tokenizer.encode("<s> </s> <pad> <unk>"), ElementsAre(kUnk, kUnk, kUnk, kUnk));
}

TEST_F(WordTokenizerTest, TakesALineOfAMegabyte) {
  const WordTokenizer tokenizer(dict_);
  const std::string one_word(size_t{1} << 20, 'x');
  EXPECT_THAT(tokenizer.encode(one_word), ElementsAre(kUnk));
  std::string many;
  for (int i = 0; i < 1 << 18; ++i) many += "the ";
  EXPECT_EQ(tokenizer.encode(many), std::vector<int32_t>(1 << 18, 4));
  EXPECT_THAT(tokenizer.encode(std::string(size_t{1} << 20, ' ')), IsEmpty());
}

TEST_F(WordTokenizerTest, HasItsOwnFingerprint) {
  const std::string own = WordTokenizer(dict_).fingerprint();
  EXPECT_EQ(own.size(), 64u);
  EXPECT_NE(own, BpeTokenizer({.dict = dict_}).fingerprint()) << "it splits at no-break spaces, BPE does not";
  write_all(directory_ / "counts.txt", "the 1\n@-@ 1\nwell@@ 1\ncafé 1\n中文 1\n👩‍👩‍👧 1\n");
  EXPECT_EQ(WordTokenizer((directory_ / "counts.txt").string()).fingerprint(), own);
  write_all(directory_ / "order.txt", "@-@ 8\nthe 9\nwell@@ 7\ncafé 6\n中文 5\n👩‍👩‍👧 4\n");
  EXPECT_NE(WordTokenizer((directory_ / "order.txt").string()).fingerprint(), own);
}

}  // namespace
}  // namespace plumb
