#include "plumb/text/dictionary.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/text/tokenizer.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using testing::HasSubstr;

class DictionaryTest : public testing::Test {
 protected:
  Dictionary read(std::string_view content) {
    write_all(path_, content);
    return Dictionary(path_);
  }
  std::string problem(std::string_view content) {
    try {
      read(content);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const TemporaryDirectory directory_;
  const std::string path_ = (directory_ / "dict.txt").string();
};

TEST_F(DictionaryTest, NumbersItsLinesFromFour) {
  const Dictionary dictionary = read(", 500\nthe 400\nof@@ 30\nmadeupword0000 0\n");
  EXPECT_EQ(dictionary.size(), 8);
  EXPECT_EQ(dictionary.id_of(","), 4);
  EXPECT_EQ(dictionary.id_of("of@@"), 6);
  EXPECT_EQ(dictionary.id_of("of"), kUnk);
  EXPECT_EQ(dictionary.token(7), "madeupword0000");
  EXPECT_EQ(dictionary.token(kPad), "<pad>");
}

TEST_F(DictionaryTest, TextCannotNameTheSpecials) {
  const Dictionary dictionary = read("a 1\n");
  for (const char* name : {"<s>", "<pad>", "</s>", "<unk>"}) EXPECT_EQ(dictionary.id_of(name), kUnk) << name;
}

TEST_F(DictionaryTest, AnOverwrittenTokenHasItsLaterId) {
  // What fairseq does: both ids stay, the later one is found.
  const Dictionary dictionary = read("a 5\nb 4\na 3 #fairseq:overwrite\n<s> 1 #fairseq:overwrite\n");
  EXPECT_EQ(dictionary.size(), 8);
  EXPECT_EQ(dictionary.id_of("a"), 6);
  EXPECT_EQ(dictionary.token(4), "a");
  EXPECT_EQ(dictionary.id_of("<s>"), 7);
}

TEST_F(DictionaryTest, TakesTokensWithSpacesAndWindowsLineEnds) {
  const Dictionary dictionary = read("\xEF\xBB\xBFnew york 5\r\n# 4\r\n");
  EXPECT_EQ(dictionary.id_of("new york"), 4);
  EXPECT_EQ(dictionary.id_of("#"), 5);
}

TEST_F(DictionaryTest, NamesTheLineThatIsWrong) {
  EXPECT_THAT(problem("a 5\nb\n"), HasSubstr("dict.txt:2: 'b' is not a token and its count"));
  EXPECT_THAT(problem("a 5\nb x\n"), HasSubstr("dict.txt:2:"));
  EXPECT_THAT(problem("a 5\n\n"), HasSubstr("dict.txt:2:"));
  EXPECT_THAT(problem("a 5\n 7\n"), HasSubstr("dict.txt:2:"));
  EXPECT_THAT(problem("a 5\na 4\n"), HasSubstr("dict.txt:2: the token 'a' has been there before"));
  EXPECT_THAT(problem("<unk> 5\n"), HasSubstr("has been there before"));
  EXPECT_THAT(problem(""), HasSubstr("empty"));
}

}  // namespace
}  // namespace plumb
