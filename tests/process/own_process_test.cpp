#include "plumb/process/own_process.h"

#include <cstdlib>
#include <stdexcept>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(OwnProcess, BringsBackWhatItMadeOrNothing) {
  const WorkResult good = in_own_process([](std::string& bytes) {
    bytes = std::string(3 << 20, 'x');
    return true;
  });
  EXPECT_TRUE(good.succeeded);
  EXPECT_EQ(good.bytes.size(), 3u << 20);
  EXPECT_FALSE(in_own_process([](std::string&) -> bool { std::exit(0); }).succeeded);
  EXPECT_FALSE(in_own_process([](std::string&) -> bool { std::_Exit(1); }).succeeded);
  const WorkResult thrown = in_own_process([](std::string&) -> bool { throw std::runtime_error("why"); });
  EXPECT_FALSE(thrown.succeeded);
  EXPECT_EQ(thrown.bytes, "why");
}

}  // namespace
}  // namespace plumb
