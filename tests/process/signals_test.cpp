#include "plumb/process/signals.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "plumb/process/spawn.h"

namespace plumb {
namespace {

using Second = CaughtSignals::Second;

TEST(CaughtSignals, KeepsTheFirstAndCountsAll) {
  const CaughtSignals caught({SIGTERM, SIGUSR1});
  EXPECT_EQ(caught.first(), 0);
  std::raise(SIGTERM);
  std::raise(SIGUSR1);
  EXPECT_EQ(caught.first(), SIGTERM);
  EXPECT_EQ(caught.count(), 2);
}

TEST(CaughtSignals, BeginsAnewAndLeavesEverythingAsItWas) {
  const auto before = std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR1, before);
  {
    const CaughtSignals caught({SIGUSR1});
    std::raise(SIGUSR1);
  }
  EXPECT_EQ(std::signal(SIGUSR1, SIG_IGN), before);
  std::signal(SIGUSR1, before);
  const CaughtSignals again({SIGUSR1});
  EXPECT_EQ(again.first(), 0);
  EXPECT_EQ(again.count(), 0);
}

TEST(CaughtSignals, WhatNohupIgnoresStaysIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const CaughtSignals caught;
    std::raise(SIGHUP);
    EXPECT_EQ(caught.first(), 0);
  }
  EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
}

// How a copy of this process ends that does `work`.
std::string end_of(const std::function<void()>& work) {
  return spawn_copy([&] {
           work();
           return 0;
         })
      .wait()
      .in_words();
}

TEST(CaughtSignals, TheSecondOneMayEndTheProcess) {
  const auto twice = [](Second second) {
    const CaughtSignals caught({SIGINT, SIGTERM}, second);
    std::raise(SIGINT);
    std::raise(SIGTERM);
  };
  EXPECT_EQ(end_of([&] { twice(Second::EndsTheProcess); }), "ended with exit code 143");
  EXPECT_EQ(end_of([&] { twice(Second::IsCounted); }), "ended with exit code 0");
}

// A copy that is told to end while it does `work` in a patience of one second. Ends the copy if that hangs.
class Watched {
 public:
  explicit Watched(const std::function<void(const CaughtSignals& caught)>& work)
      : child_(spawn_copy([&] {
          const CaughtSignals caught({SIGTERM}, Second::EndsTheProcess, std::chrono::seconds(1));
          work(caught);
          return 0;
        })) {}
  std::string end() {
    const std::optional<ExitStatus> status = child_.ended_within(std::chrono::seconds(120));
    return status ? status->in_words() : "hangs";
  }

 private:
  Child child_;
};

void pause_of(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(CaughtSignals, TheFirstOneEndsAProcessThatHangs) {
  Watched hangs([](const CaughtSignals&) {
    std::raise(SIGTERM);
    for (volatile bool spins = true; spins;) continue;
  });
  EXPECT_EQ(hangs.end(), "ended with exit code 143");
}

TEST(CaughtSignals, WorkThatMovesIsWaitedFor) {
  Watched looks([](const CaughtSignals& caught) {
    std::raise(SIGTERM);
    EXPECT_EQ(caught.first(), SIGTERM);
    pause_of(3);  // it saves
  });
  Watched saves([](const CaughtSignals& caught) {
    std::raise(SIGTERM);
    {
      const UnwatchedWork saving;
      pause_of(3);
    }
    caught.first();
  });
  Watched is_slow([](const CaughtSignals& caught) {
    note_progress();
    pause_of(1);
    note_progress();
    std::raise(SIGTERM);
    pause_of(3);  // three times as long as before
    caught.first();
  });
  EXPECT_EQ(looks.end(), "ended with exit code 0");
  EXPECT_EQ(saves.end(), "ended with exit code 0");
  EXPECT_EQ(is_slow.end(), "ended with exit code 0");
}

TEST(CaughtSignals, OnlyTheseAreCaught) {
  const auto before = std::signal(SIGHUP, SIG_DFL);  // nohup ignores it
  EXPECT_EQ(end_of([] {
              const CaughtSignals caught({SIGINT, SIGTERM});
              std::raise(SIGHUP);
            }),
            "was killed by signal 1");
  std::signal(SIGHUP, before);
}

}  // namespace
}  // namespace plumb
