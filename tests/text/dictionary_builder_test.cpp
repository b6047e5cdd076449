#include "plumb/text/dictionary_builder.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/text/character_tokenizer.h"
#include "plumb/text/dictionary.h"
#include "plumb/text/tokenizer.h"
#include "plumb/text/word_tokenizer.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::HasSubstr;

class DictionaryBuilderTest : public testing::Test {
 protected:
  std::string text(const std::string& name, std::string_view content) {
    write_all(directory_ / name, content);
    return (directory_ / name).string();
  }
  std::string words(const std::vector<std::string>& texts, const DictionaryOptions& options = {}) {
    build_dictionary(texts, dict_, options);
    return read_all(dict_);
  }
  std::string characters(const std::vector<std::string>& texts, const DictionaryOptions& options = {}) {
    build_character_dictionary(texts, dict_, options);
    return read_all(dict_);
  }
  std::string problem(const std::vector<std::string>& texts, const DictionaryOptions& options) {
    try {
      words(texts, options);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const TemporaryDirectory directory_;
  const std::string dict_ = (directory_ / "dict.txt").string();
};

// What fairseq-preprocess writes: sorted(items), then Counter.most_common, which keeps the order of equals.
TEST_F(DictionaryBuilderTest, SortsByCountAndEquallyFrequentWordsByTheirBytes) {
  const std::string one = text("one", "b a c\na  b\tZ é\n"), two = text("two", "a 10 9 \u4e2d \U0001F600\n");
  EXPECT_EQ(words({one, two}), "a 3\nb 2\n10 1\n9 1\nZ 1\nc 1\né 1\n\u4e2d 1\n\U0001F600 1\n");
  EXPECT_EQ(build_dictionary(std::vector{one, two}, dict_), 4 + 9);
}

TEST_F(DictionaryBuilderTest, LimitsTheSizeWithTheSpecialsInIt) {
  const std::string one = text("one", "a a a b b c c d\n");
  EXPECT_EQ(words({one}, {.size = 6}), "a 3\nb 2\n");
  EXPECT_EQ(words({one}, {.size = 100}), "a 3\nb 2\nc 2\nd 1\n");
  EXPECT_EQ(words({one}, {.min_count = 2}), "a 3\nb 2\nc 2\n");
  EXPECT_EQ(words({one}, {.size = 5, .min_count = 2}), "a 3\n");
}

TEST_F(DictionaryBuilderTest, NamesOfSpecialsInTheTextAreUnknownWords) {
  const std::string one = text("one", "the <unk> <unk> <unk> <s> </s> <pad> unk\n");
  EXPECT_EQ(words({one}), "the 1\nunk 1\n");
  const Dictionary dictionary(dict_);
  EXPECT_EQ(dictionary.id_of("<unk>"), kUnk);
  EXPECT_EQ(dictionary.size(), 6);
}

TEST_F(DictionaryBuilderTest, CountsLowerCaseWhenAsked) {
  const std::string one = text("one", "The the ÉTÉ\n");
  EXPECT_EQ(words({one}, {.lowercase = true}), "the 2\nété 1\n");
  EXPECT_EQ(characters({text("two", "aAB\n")}, {.lowercase = true}), "a 2\nb 1\n");
}

TEST_F(DictionaryBuilderTest, WritesBlanksAsSentencePieceDoes) {
  EXPECT_EQ(characters({text("one", " a  b\t\u2581\n\n")}), "\u2581 3\n\t 1\na 1\nb 1\n\u2581\u2581 1\n");
}

TEST_F(DictionaryBuilderTest, WhatItWritesIsReadBackWhole) {
  // A character that readers take for a byte order mark, as the first token of the file: two must stand there.
  const std::string one = text("one", "x\uFEFF\uFEFF\uFEFF\uFEFFx\r.\n #fairseq:overwrite 5\n");
  characters({one});
  EXPECT_TRUE(read_all(dict_).starts_with("\uFEFF\uFEFF 4\n"));
  const CharacterTokenizer characters_of(dict_);
  const std::string line = "x\uFEFF\uFEFF\uFEFF\uFEFFx\r.";
  EXPECT_EQ(characters_of.decode(characters_of.encode(line)), line);

  const std::string two = text("two", "x\n\uFEFFfirst \uFEFFfirst \uFEFFfirst #fairseq:overwrite 5 # 5\n");
  words({two});
  const WordTokenizer words_of(dict_);
  const std::string words_line = "\uFEFFfirst #fairseq:overwrite 5 # x";
  EXPECT_EQ(words_of.decode(words_of.encode(words_line)), words_line);
}

TEST_F(DictionaryBuilderTest, RefusesWhatGivesNoDictionaryAndLeavesTheOldFile) {
  const std::string one = text("one", "a b\n"), empty = text("empty", "\n \n");
  words({one});
  const std::string before = read_all(dict_);
  EXPECT_THAT(problem({empty}, {}), HasSubstr("empty: there is no text in it"));
  EXPECT_THAT(problem({one}, {.min_count = 2}), HasSubstr("one: nothing in it occurs 2 times"));
  EXPECT_THAT(problem({one}, {.size = 4}), HasSubstr("room for the 4 specials only"));
  EXPECT_THAT(problem({}, {}), HasSubstr("no text"));
  EXPECT_THAT(problem({one, (directory_ / "none").string()}, {}), HasSubstr("none: cannot be opened"));
  EXPECT_THAT(problem({text("latin", "Gr\xF6\xDF\x65\n")}, {}), HasSubstr("latin:1"));
  EXPECT_EQ(read_all(dict_), before);
}

// The public corpus, where it is there: its vocabulary is known (Merity 2016: 33,278 with <unk> and <eos>).
TEST_F(DictionaryBuilderTest, GivesWikiTextItsVocabulary) {
  const char* set = std::getenv("PLUMB_DATA");
  const std::filesystem::path data = set ? std::filesystem::path(set) : PLUMB_SOURCE_DIR "/../shared/data";
  const std::string wikitext = (data / "wikitext2/train.txt").string();
  if (!std::filesystem::exists(wikitext)) GTEST_SKIP() << "there is no " << wikitext << "; set PLUMB_DATA";
  EXPECT_EQ(build_dictionary(std::vector{wikitext}, dict_), 33278 - 2 + 4);
  EXPECT_TRUE(read_all(dict_).starts_with("the 113161\n, 99913\n. 73388\n"));
}

}  // namespace
}  // namespace plumb
