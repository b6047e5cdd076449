#include "plumb/base/error.h"

#include <string>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Error, SaysWhereWhatAndWhatToDoInOneLine) {
  const UserError error("deep.toml:7 model.heads", "width 512 is not divisible by 12 heads", "Use 8 heads");
  EXPECT_STREQ(error.what(), "deep.toml:7 model.heads: width 512 is not divisible by 12 heads. Use 8 heads");
  EXPECT_STREQ(UserError("a\nb", "c\x1b[31m", "d\x7f").what(), "a?b: c?[31m. d?");
}

TEST(Error, CarriesTheExitCodeOfItsKind) {
  EXPECT_EQ(static_cast<int>(UserError("", "", "").exit_code()), 2);
  EXPECT_EQ(static_cast<int>(DamagedFile("", "", "").exit_code()), 3);
  EXPECT_EQ(static_cast<int>(DiskError("", "", "").exit_code()), 4);
}

TEST(Error, IsNeverLongerThanSomebodyReads) {
  const std::string word(200000, 'w'), words = [] {
    std::string text;
    for (int i = 0; i < 50000; ++i) text += "word ";
    return text;
  }();
  EXPECT_LT(std::string(UserError(word, word + " " + word, word).what()).size(), 3000u);
  EXPECT_LT(std::string(UserError(words, words, words).what()).size(), 8000u);
  EXPECT_LT(std::string(Error(Exit::Disk, words).what()).size(), 9000u);
  const std::string path = "/" + std::string(250, 'd') + "/file", said = UserError(path, path, path).what();
  EXPECT_EQ(said, path + ": " + path + ". " + path) << "what can be a path is whole";
}

TEST(Error, IsCutBetweenCharacters) {
  std::string snowmen;
  for (int i = 0; i < 1000; ++i) snowmen += "\u2603";
  const std::string said = UserError("x", "is " + snowmen, "").what();
  EXPECT_NE(said.find("..."), std::string::npos);
  std::string rest = said;
  for (size_t at; (at = rest.find("\u2603")) != std::string::npos;) rest.erase(at, 3);
  EXPECT_EQ(rest, "x: is .... ");
}

}  // namespace
}  // namespace plumb
