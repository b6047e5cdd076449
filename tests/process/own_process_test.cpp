#include "plumb/process/own_process.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

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

TEST(OwnProcess, ACrashIsToldAndNotShown) {
  const auto fail = [](int signal) { throw std::runtime_error(std::to_string(signal)); };
  EXPECT_EQ(survived([] { return 7; }, fail), 7);
  testing::internal::CaptureStderr();
  EXPECT_EQ(survived(
                [] {
                  std::fputs("said\n", stderr);
                  return 0;
                },
                fail),
            0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "said\n");
  testing::internal::CaptureStderr();
  try {
    survived(
        []() -> int {
          std::fputs("glibc: what it thinks of it\n", stderr);
          std::raise(SIGSEGV);
          return 0;
        },
        fail);
    ADD_FAILURE() << "it was not told";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), std::to_string(SIGSEGV));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(survived(
                []() -> int {
                  std::raise(SIGKILL);
                  return 0;
                },
                fail),
            128 + SIGKILL);
}

}  // namespace
}  // namespace plumb
