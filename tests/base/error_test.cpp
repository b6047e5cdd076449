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

}  // namespace
}  // namespace plumb
