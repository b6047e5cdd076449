#include "plumb/config/toml_guard.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/config/toml_reader.h"

#include "config/config_test.h"

namespace plumb {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

uint32_t line_of(const std::string& text) {
  const std::optional<TomlProblem> found = beyond_toml_parser(text);
  return found ? found->line : 0;
}

TEST(TomlGuard, RefusesWhatTheParserWouldNotSurvive) {
  EXPECT_EQ(line_of("seed = 1\n[@x]\n"), 2u);
  EXPECT_EQ(line_of("[[@x]]"), 1u);
  EXPECT_EQ(line_of(" [ = ]"), 1u);
  EXPECT_EQ(line_of("[\nx]"), 1u);
  EXPECT_EQ(line_of("[[\n"), 1u);
  EXPECT_EQ(line_of("\n\n\xd2\x90 = 1"), 3u);  // U+0490
  EXPECT_EQ(line_of("x = 1 \xc2\xa0\n"), 1u);  // a no-break space
  EXPECT_EQ(line_of("[a]\nb.\xc3\xa9 = 1"), 2u);
  EXPECT_EQ(line_of("x = \"\"\"a\nb\n\"\"\"\n\xff"), 4u);
  EXPECT_EQ(line_of("x = +'\xcf\xa2"), 1u);  // the quote is part of the value
  std::string tower = "a";
  for (int i = 0; i < 100; ++i) tower += ".a";
  EXPECT_EQ(line_of(tower + " = 1"), 1u);
}

TEST(TomlGuard, LetsEverythingElseThrough) {
  for (const char* text :
       {"", "[model]\nwidth = 1\n", "[[arm]]\nname = 'a'", "[ \"a b\" ]", "['\xc3\xa9']", "[]", "[",
        "# \xd2\x90 [@x]\nx = 1", "x = \"\xd2\x90 [@x]\"", "x = '''\n[@x]\n\xd2\x90'''\n",
        "x = \"\"\"\n[@x] \\\"\"\"\\\"\n\xd2\x90\"\"\"\n", "x = \"a \\\" \xd2\x90\"",
        "x = [\n  [.5, +1],\n  [{a = 1}],\n  [\n  ]\n]\n[y]\n", "\xef\xbb\xbfx = 1", "x = 'a\\'\n"}) {
    EXPECT_EQ(line_of(text), 0u) << text;
  }
}

TEST(TomlGuard, AFileOfThemIsTheUsersMistake) {
  const test::Folder folder;
  for (const char* text : {"[@x]\n", "\xd2\x90 = 1\n"}) {
    const auto file = folder.write("x.toml", text);
    EXPECT_THAT(test::error_of([&] { read_toml(file); }), AllOf(HasSubstr("x.toml:1: not valid TOML"))) << text;
  }
  EXPECT_EQ(std::get<std::string>(parse_override("data.cache=\xd2\x90").value.is), "\xd2\x90");
  EXPECT_EQ(std::get<Value::List>(parse_override("a=[+1, 2]").value.is).size(), 2u);
}

}  // namespace
}  // namespace plumb
