#include "plumb/process/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plumb {
namespace {

// The wait status of a process that catches signals, as a sweep does, and runs `child` in a fork of its own.
template <class Child>
int status_of_child(const Child& child) {
  const CaughtSignals caught;
  const HeldSignals held;
  const pid_t pid = ::fork();
  if (pid == 0) {
    child(held);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

TEST(HeldSignals, WhatComesBeforeExecEndsTheChild) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal, SIG_DFL);  // nohup ignores one of them
    const int status = status_of_child([&](const HeldSignals& held) {
      std::raise(signal);
      held.release_in_child();
    });
    std::signal(signal, before);
    ASSERT_TRUE(WIFSIGNALED(status)) << signal;
    EXPECT_EQ(WTERMSIG(status), signal);
  }
}

TEST(HeldSignals, WhatIsIgnoredStaysIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const int status = status_of_child([](const HeldSignals& held) {
    std::raise(SIGHUP);
    held.release_in_child();
    std::raise(SIGHUP);
  });
  std::signal(SIGHUP, before);
  EXPECT_TRUE(WIFEXITED(status));
}

TEST(HeldSignals, TheParentGetsAfterwardsWhatItMissed) {
  const CaughtSignals caught;
  {
    const HeldSignals held;
    std::raise(SIGTERM);
    EXPECT_EQ(caught.first(), 0);
  }
  EXPECT_EQ(caught.first(), SIGTERM);
}

}  // namespace
}  // namespace plumb
