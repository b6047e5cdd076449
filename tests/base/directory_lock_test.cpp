#include "plumb/base/directory_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

TEST(DirectoryLock, IsHeldByOneAtATime) {
  const TemporaryDirectory folder;
  {
    const FileDescriptor first = lock_directory(folder.path(), "somebody is in it");
    try {
      lock_directory(folder.path(), "somebody is in it");
      FAIL() << "it should have been refused";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("somebody is in it"));
    }
  }
  EXPECT_NO_THROW(lock_directory(folder.path(), ""));
}

TEST(DirectoryLock, NeedsADirectory) {
  const TemporaryDirectory folder;
  EXPECT_THROW(lock_directory(folder / "absent", ""), DiskError);
}

}  // namespace
}  // namespace plumb
