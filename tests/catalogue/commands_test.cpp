#include "plumb/catalogue/commands.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Commands, HaveUniqueNamesOfSmallLetters) {
  std::set<std::string_view> names;
  for (const Command& row : commands()) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string_view::npos) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(Commands, AreFoundByTheirNameAndByNothingElse) {
  for (const Command& row : commands()) EXPECT_EQ(find_command(row.name), &row);
  for (std::string_view name : {"", "trai", "trainn", "Train", "train ", "--help"}) {
    EXPECT_EQ(find_command(name), nullptr) << name;
  }
}

TEST(Commands, SayOnOneLineWhatTheyDo) {
  for (const Command& row : commands()) {
    EXPECT_FALSE(row.summary.empty()) << row.name;
    for (std::string_view text : {row.summary, row.usage, row.example}) {
      EXPECT_EQ(text.find('\n'), std::string_view::npos) << row.name;
    }
    EXPECT_FALSE(row.summary.ends_with('.')) << row.name;
  }
}

TEST(Commands, ShowAnExampleOfThemselves) {
  for (const Command& row : commands()) {
    const std::string start = "plumb " + std::string(row.name);
    EXPECT_TRUE(row.example == start || row.example.starts_with(start + ' ')) << row.example;
  }
}

TEST(Commands, ThatNeedATorchAreHandedToTheEngine) {
  ASSERT_NE(find_command("train"), nullptr);
  EXPECT_EQ(find_command("train")->program, Command::Program::Engine);
  ASSERT_NE(find_command("list"), nullptr);
  EXPECT_EQ(find_command("list")->program, Command::Program::Front);
}

}  // namespace
}  // namespace plumb
