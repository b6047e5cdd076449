#include "plumb/text/character_tokenizer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/text/dictionary_builder.h"
#include "plumb/text/word_tokenizer.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::vector<std::string> kLines = {"First Citizen:",
                                         "",
                                         " ",
                                         "  two  blanks  ",
                                         "\ttabs\t\tand blanks \t",
                                         "中文，日本語。",
                                         "👩‍👩‍👧‍👦 e\u0301 é",
                                         "a\u2581b \u2581\u2581 c",
                                         "</s> <unk> <s> <pad>",
                                         "no-break\u00A0space\u3000",
                                         "@@ ▁▁▁"};

class CharacterTokenizerTest : public testing::Test {
 protected:
  CharacterTokenizerTest() {
    std::string text;
    for (const std::string& line : kLines) text += line + "\n";
    write_all(directory_ / "text", text);
    build_character_dictionary(std::vector{(directory_ / "text").string()}, dict_);
  }
  std::string dictionary(const std::string& name, std::string_view content) const {
    write_all(directory_ / name, content);
    return (directory_ / name).string();
  }

  const TemporaryDirectory directory_;
  const std::string dict_ = (directory_ / "dict.txt").string();
};

TEST_F(CharacterTokenizerTest, GivesEveryLineOfKnownCharactersBack) {
  const CharacterTokenizer tokenizer(dict_);
  for (const std::string& line : kLines) {
    const std::vector<int32_t> ids = tokenizer.encode(line);
    EXPECT_EQ(tokenizer.decode(ids), line);
    EXPECT_EQ(tokenizer.join(tokenizer.pieces(line)), line);
    EXPECT_THAT(ids, Each(testing::Ge(kSpecials))) << line;
  }
}

TEST_F(CharacterTokenizerTest, HasOneTokenForEachCodePoint) {
  const CharacterTokenizer tokenizer(dictionary("small", "\u2581 9\na 8\né 7\n👩 6\n\t 5\n"));
  EXPECT_EQ(tokenizer.size(), 9);
  EXPECT_THAT(tokenizer.encode("a é\t👩"), ElementsAre(5, 4, 6, 8, 7));
  EXPECT_THAT(tokenizer.encode("👩‍👩"), ElementsAre(7, kUnk, 7)) << "the joiner is a code point of its own";
  EXPECT_THAT(tokenizer.pieces(" a\u2581"), ElementsAre("\u2581", "a", "\u2581\u2581"));
  EXPECT_THAT(tokenizer.vocabulary(), ElementsAre("<s>", "<pad>", "</s>", "<unk>", "\u2581", "a", "é", "👩", "\t"));
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{kBos, 4, kPad, 5, kUnk, kEos}), " a<unk>");
  EXPECT_THROW(tokenizer.decode(std::vector<int32_t>{9}), UserError);
}

TEST_F(CharacterTokenizerTest, TextCannotEndASentence) {
  const CharacterTokenizer tokenizer(dictionary("letters", "a 1\n"));
  const std::vector<int32_t> ids = tokenizer.encode("</s><pad><s>");
  EXPECT_EQ(ids.size(), 12u);
  for (const int32_t special : {kBos, kPad, kEos}) EXPECT_THAT(ids, Not(Contains(special)));
}

TEST_F(CharacterTokenizerTest, BytesThatAreNotUtf8AreUnknownAndNotLostInPieces) {
  const CharacterTokenizer tokenizer(dictionary("letters", "a 1\n"));
  const std::string broken = "a\xFF\xC3(\xED\xA0\x80\xF0\x9F";
  EXPECT_EQ(tokenizer.join(tokenizer.pieces(broken)), broken);
  const std::vector<int32_t> ids = tokenizer.encode(broken);
  EXPECT_EQ(ids.front(), 4);
  EXPECT_THAT(std::vector<int32_t>(ids.begin() + 1, ids.end()), Each(kUnk));
  EXPECT_THAT(tokenizer.encode(""), IsEmpty());
}

TEST_F(CharacterTokenizerTest, TakesALineOfAMegabyte) {
  const CharacterTokenizer tokenizer(dictionary("few", "\u2581 9\né 7\n"));
  std::string line;
  for (int i = 0; i < 350'000; ++i) line += "é ";
  const std::vector<int32_t> ids = tokenizer.encode(line);
  EXPECT_EQ(ids.size(), 700'000u);
  EXPECT_EQ(tokenizer.decode(ids), line);
}

TEST_F(CharacterTokenizerTest, RefusesADictionaryOfWords) {
  try {
    CharacterTokenizer tokenizer(dictionary("words", "a 5\nthe 4\n"));
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("words: 'the' is not one character"));
  }
  EXPECT_EQ(CharacterTokenizer(dictionary("padded", "a 5\nmadeupword0000 0\n")).size(), 6) << "fairseq's padding";
}

TEST_F(CharacterTokenizerTest, HasItsOwnFingerprint) {
  const std::string dict = dictionary("letters", "a 1\nb 1\n"), other = dictionary("other", "b 1\na 1\n");
  EXPECT_NE(CharacterTokenizer(dict).fingerprint(), WordTokenizer(dict).fingerprint());
  EXPECT_NE(CharacterTokenizer(dict).fingerprint(), CharacterTokenizer(other).fingerprint());
  EXPECT_EQ(CharacterTokenizer(dict).fingerprint(),
            CharacterTokenizer(dictionary("counts", "a 7\nb 3\n")).fingerprint());
}

}  // namespace
}  // namespace plumb
