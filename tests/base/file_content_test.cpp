#include "plumb/base/file_content.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_directory.h"

namespace plumb {
namespace {

TEST(BoundedContent, IsThatOfARegularFileOfThisLengthAtMost) {
  const TemporaryDirectory folder;
  write_all(folder / "a", "12345");
  EXPECT_EQ(bounded_content(folder / "a", 5), "12345");
  EXPECT_EQ(bounded_content(folder / "a", 4), std::nullopt);
  EXPECT_EQ(bounded_content(folder / "absent", 5), std::nullopt);
  EXPECT_EQ(bounded_content(folder.path(), 5), std::nullopt);
}

TEST(BoundedContent, NeitherWaitsNorReadsForEver) {
  const TemporaryDirectory folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(bounded_content(folder / "pipe", 5), std::nullopt);
  std::filesystem::create_symlink("/dev/zero", folder / "zero");
  EXPECT_EQ(bounded_content(folder / "zero", 5), std::nullopt);
}

}  // namespace
}  // namespace plumb
