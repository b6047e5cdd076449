#include "plumb/base/checked_file.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace plumb {
namespace {

TEST(CheckedFile, IsIntactUntilAByteOfItOrOfItsChecksumChanges) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "text", sum = directory / "text.sha256";
  EXPECT_FALSE(is_intact(file));
  write_checked(file, "some text\n");
  EXPECT_TRUE(is_intact(file));
  // What `printf 'some text\n' | sha256sum` says.
  EXPECT_EQ(read_all(sum), "a23e5fdcd7b276bdd81aa1a0b7b963101863dd3f61ff57935f8c5ba462681ea6  text\n");
  for (const std::string& content : {std::string(), std::string("some text"), std::string("some texT\n")}) {
    write_all(file, content);
    EXPECT_FALSE(is_intact(file)) << content;
  }
  add_checksum(file);
  EXPECT_TRUE(is_intact(file));
  write_all(sum, "");
  EXPECT_FALSE(is_intact(file));
  std::filesystem::remove(sum);
  EXPECT_FALSE(is_intact(file)) << "left by a kill between the two";
  std::filesystem::create_directory(sum);
  EXPECT_FALSE(is_intact(file));
}

}  // namespace
}  // namespace plumb
