#include "plumb/process/pipe.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

// How many files may be open is the user's affair, so it is no mistake of ours.
TEST(Pipes, BeyondTheLimitOnOpenFilesAreRefused) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_THROW(make_pipe(), UserError);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NO_THROW(make_pipe());
}

}  // namespace
}  // namespace plumb
