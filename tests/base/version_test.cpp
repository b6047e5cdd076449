#include "plumb/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Version, HasThreeNumbersAndTheCommitInParentheses) {
  EXPECT_EQ(version(), PLUMB_VERSION);
  EXPECT_THAT(std::string(commit()), testing::MatchesRegex("([0-9a-f]+(-dirty)?)?"));
  const std::string commit_part = commit().empty() ? "" : " (" + std::string(commit()) + ")";
  EXPECT_EQ(full_version(), std::string(version()) + commit_part);
}

}  // namespace
}  // namespace plumb
