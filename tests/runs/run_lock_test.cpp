#include "plumb/runs/run_lock.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

TEST(RunLock, IsHeldByOneAtATime) {
  const TemporaryDirectory folder;
  {
    const RunLock first(folder / ".");
    EXPECT_THROW(RunLock(folder / "."), UserError);
  }
  EXPECT_NO_THROW(RunLock(folder / "."));
}

TEST(RunLock, NeedsTheDirectory) {
  const TemporaryDirectory folder;
  EXPECT_THROW(RunLock(folder / "absent"), DiskError);
}

}  // namespace
}  // namespace plumb
