#include "plumb/text/bpe.h"

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class BpeTest : public testing::Test {
 protected:
  std::string file(std::string_view content) {
    const auto path = directory_ / fmt::format("file{}", count_++);
    write_all(path, content);
    return path.string();
  }
  std::string problem(std::string_view codes) {
    try {
      const Bpe bpe(file(codes));
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const TemporaryDirectory directory_;
  int count_ = 0;
};

TEST_F(BpeTest, AppliesTheMergesOfTheHandWorkedExample) {
  // l o w e r</w>: "e r</w>" is first, then "l o", then "lo w"; "low er</w>" is not there.
  const Bpe bpe(file("#version: 0.2\ne r</w>\nl o\nlo w\nlow </w>\nn e\nne w\n"));
  EXPECT_THAT(bpe.segment("lower"), ElementsAre("low@@", "er"));
  EXPECT_THAT(bpe.segment("newer"), ElementsAre("new@@", "er"));
  // The last character is w</w>, which no merge has.
  EXPECT_THAT(bpe.segment("low"), ElementsAre("lo@@", "w"));
  EXPECT_THAT(bpe.segment("lowlow"), ElementsAre("low@@", "lo@@", "w"));
  EXPECT_THAT(bpe.segment("w"), ElementsAre("w"));
  EXPECT_THAT(bpe.segment("ß"), ElementsAre("ß"));
  EXPECT_THAT(bpe.segment("ßx"), ElementsAre("ß@@", "x"));
  EXPECT_TRUE(bpe.segment("").empty());
}

TEST_F(BpeTest, SetsTheMarkApartInCodesWithoutAHeader) {
  const Bpe bpe(file("l o\nlo w\nlow </w>\ne r\n"));
  EXPECT_THAT(bpe.segment("low"), ElementsAre("low"));
  EXPECT_THAT(bpe.segment("lower"), ElementsAre("low@@", "er"));
  EXPECT_THAT(bpe.segment("xo"), ElementsAre("x@@", "o"));
}

TEST_F(BpeTest, MergesOverlappingPairsFromTheLeft) {
  const Bpe bpe(file("#version: 0.2\nx x\n"));
  EXPECT_THAT(bpe.segment("xxxx"), ElementsAre("xx@@", "x@@", "x"));
  EXPECT_THAT(bpe.segment("xxxxx"), ElementsAre("xx@@", "xx@@", "x"));
}

TEST_F(BpeTest, TakesMergesBackThatTheVocabularyLacks) {
  Bpe bpe(file("#version: 0.2\nl o\nlo w</w>\ne r\nlo w\nlow er\n"));
  EXPECT_THAT(bpe.segment("low"), ElementsAre("low"));
  const std::string vocabulary = file("lo@@ 10\nw 10\nlow 2\ne@@ 5\n");
  bpe.restrict_to(vocabulary, 5);
  EXPECT_THAT(bpe.segment("low"), ElementsAre("lo@@", "w"));
  bpe.restrict_to(vocabulary, 2);
  EXPECT_THAT(bpe.segment("low"), ElementsAre("low"));
  EXPECT_THROW(bpe.restrict_to(vocabulary, 99), UserError);
}

TEST_F(BpeTest, AgreesWithTheSearchOverAllPairs) {
  std::ifstream in(PLUMB_SOURCE_DIR "/tests/golden/bpe.json");
  for (const json& golden : json::parse(in)) {
    std::string codes = golden["version"] == "0.1" ? "" : "#version: 0.2\n";
    for (const std::string merge : golden["codes"]) codes += merge + "\n";
    Bpe bpe(file(codes));
    if (golden["vocabulary"].is_object()) {
      std::string vocabulary;
      for (const auto& [token, count] : golden["vocabulary"].items()) {
        vocabulary += fmt::format("{} {}\n", token, count.get<int>());
      }
      bpe.restrict_to(file(vocabulary), golden["threshold"]);
    }
    for (const auto& [word, pieces] : golden["words"].items()) {
      for (int time = 0; time < 2; ++time) {  // worked out, then from memory
        EXPECT_EQ(fmt::format("{}", fmt::join(bpe.segment(word), " ")), pieces.get<std::string>())
            << golden["name"] << ' ' << word;
      }
    }
  }
}

TEST_F(BpeTest, AWordOfAMillionCharactersTakesSeconds) {
  const Bpe bpe(file("#version: 0.2\na b\nab ab\nabab abab\nb a\nc c\n"));
  std::string word;
  while (word.size() < 1'000'000) word += "abababcc";
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> pieces = bpe.segment(word);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_THAT(std::vector<std::string>(pieces.begin(), pieces.begin() + 3), ElementsAre("abab@@", "ab@@", "cc@@"));
}

TEST_F(BpeTest, NamesTheLineThatIsWrong) {
  EXPECT_THAT(problem("#version: 0.2\na b\nab\n"), HasSubstr("file0:3: 'ab' is not a merge"));
  EXPECT_THAT(problem("#version: 0.2\na b c\n"), HasSubstr("'a b c' is not a merge"));
  EXPECT_THAT(problem("#version: 0.3\na b\n"), HasSubstr("version 0.3"));
  EXPECT_THAT(problem(""), HasSubstr("no merge"));
  EXPECT_THAT(problem("#version: 0.2\n"), HasSubstr("no merge"));
}

}  // namespace
}  // namespace plumb
