#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/config/toml_reader.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

std::vector<std::string> keys_of(const std::string& text) {
  const TemporaryDirectory folder;
  write_all(folder / "x.toml", text);
  std::vector<std::string> keys;
  for (const Setting& setting : read_toml_leaves(folder / "x.toml")) {
    keys.push_back(setting.key + setting.source.substr(setting.source.rfind(':')));
  }
  return keys;
}

TEST(TomlLeaves, HaveTheirWholePathAndLineInTheOrderOfTheFile) {
  EXPECT_THAT(
      keys_of("z = 1\n[grid]\nb.c = [1]\n\"a.d\" = [2]\n[[arm]]\nname = \"x\"\n[[arm]]\nname = \"y\"\nm.w = 3\n"),
      ::testing::ElementsAre("z:1", "grid.b.c:3", "grid.a.d:4", "arm[0].name:6", "arm[1].name:8", "arm[1].m.w:9"));
}

TEST(TomlLeaves, TablesInOneLineKeepTheirOrder) {
  EXPECT_THAT(keys_of("set = { z = 1, a = 2 }\narm = [{ n = 1 }, { b = 2, a = 3 }]\n"),
              ::testing::ElementsAre("set.z:1", "set.a:1", "arm[0].n:2", "arm[1].b:2", "arm[1].a:2"));
}

TEST(TomlLeaves, RefuseWhatIsNoToml) {
  EXPECT_THROW(keys_of("[grid\n"), UserError);
  EXPECT_THROW(keys_of("a = 1\na = 2\n"), UserError);
  EXPECT_THROW(read_toml_leaves("/no/such/file.toml"), UserError);
}

}  // namespace
}  // namespace plumb
