#include "plumb/process/spawn.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/process/pipe.h"
#include "plumb/process/signals.h"

#include "support/temporary_directory.h"

namespace plumb {
namespace {

using ::testing::HasSubstr;

Program shell(const std::string& script) {
  return {.file = "sh", .arguments = {"sh", "-c", script}};
}

// What the program writes to its stdout.
std::string output_of(Program program) {
  Pipe pipe = make_pipe();
  program.out = pipe.to.get();
  Child child = spawn(program);
  pipe.to.close();
  std::string output = read_to_end(pipe.from);
  EXPECT_TRUE(child.wait().succeeded());
  return output;
}

std::string end_of_shell(const std::string& script) {
  return spawn(shell(script)).wait().in_words();
}

std::string problem_of(const std::filesystem::path& file) {
  try {
    spawn({.file = file, .arguments = {"x"}});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Spawn, GivesArgumentsAsTheyAre) {
  Program program = shell("printf '%s|' \"$@\"");
  program.arguments.insert(program.arguments.end(), {"name", "a b", "", "$HOME", "ü"});
  EXPECT_EQ(output_of(program), "a b||$HOME|ü|");
}

TEST(Spawn, SaysHowItEnded) {
  EXPECT_EQ(end_of_shell("exit 0"), "ended with exit code 0");
  EXPECT_EQ(end_of_shell("exit 7"), "ended with exit code 7");
  EXPECT_EQ(end_of_shell("kill -9 $$"), "was killed by signal 9");
}

TEST(Spawn, WhatCannotBeStartedIsAnErrorHere) {
  const TemporaryDirectory folder;
  write_all(folder / "text", "no program");
  EXPECT_THAT(problem_of("/no/such/program"), HasSubstr("/no/such/program: cannot be started (No such file"));
  EXPECT_THAT(problem_of("plumb-no-such-program"), HasSubstr("plumb-no-such-program: cannot be started (No such file"));
  EXPECT_THAT(problem_of(folder / "text"), HasSubstr("text: cannot be started (Permission denied)"));
}

TEST(Spawn, HandlersAreForgottenAndIgnoredSignalsStayIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const CaughtSignals caught;
    EXPECT_EQ(end_of_shell("kill -TERM $$; exit 0"), "was killed by signal 15");
    EXPECT_EQ(end_of_shell("kill -HUP $$; exit 0"), "ended with exit code 0");
    EXPECT_EQ(caught.first(), 0);
  }
  std::signal(SIGHUP, before);
}

TEST(Spawn, SignalsThatComeMeanwhileAreTheParentsAlone) {
  const CaughtSignals caught({SIGUSR1});
  std::atomic<bool> done = false;
  std::thread sender([&] {
    while (!done) {
      ::kill(::getpid(), SIGUSR1);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(end_of_shell("exit 0"), "ended with exit code 0");
  done = true;
  sender.join();
  EXPECT_GT(caught.count(), 0);
}

TEST(Spawn, MayStartWithTheTerminalsSignalsBlocked) {
  Program program = shell("kill -INT $$; kill -TERM $$; kill -HUP $$; kill -QUIT $$; exit 3");
  program.blocks_signals = true;
  EXPECT_EQ(spawn(program).wait().in_words(), "ended with exit code 3");
}

TEST(Spawn, AGroupOfItsOwnIsSignalledAsAWhole) {
  const TemporaryDirectory folder;
  Program program = shell("sleep 60 & echo $! > '" + (folder / "pid").string() + "'; wait");
  program.own_group = true;
  Child child = spawn(program);
  EXPECT_EQ(::getpgid(child.pid()), child.pid());  // from the first moment on
  int grandchild = 0;
  for (int i = 0; i < 500 && grandchild == 0; ++i) {
    ::usleep(10'000);
    std::ifstream(folder / "pid") >> grandchild;
  }
  ASSERT_GT(grandchild, 0);
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().in_words(), "was killed by signal 15");
  std::string state = "alive";
  for (int i = 0; i < 500 && !state.empty() && state != "Z"; ++i) {
    ::usleep(10'000);
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name;
    state.clear();
    stat >> pid >> name >> state;
  }
  EXPECT_TRUE(state.empty() || state == "Z") << state;
}

TEST(Spawn, EndsWithItsParent) {
  Pipe pipe = make_pipe();
  Child parent = spawn_copy([&] {
    Program program = shell("echo up; exec sleep 60");
    program.out = pipe.to.get();
    program.ends_with_parent = true;
    const Child child = spawn(program);
    ::pause();
    return 0;
  });
  pipe.to.close();
  char up[3];
  ASSERT_EQ(::read(pipe.from.get(), up, sizeof(up)), 3);
  parent.signal(SIGKILL);
  EXPECT_EQ(parent.wait().in_words(), "was killed by signal 9");
  EXPECT_EQ(read_to_end(pipe.from), "");  // the end, as soon as nobody has the other side any more
}

TEST(Spawn, StandardStreamsMayBeMissingOrExchanged) {
  const TemporaryDirectory folder;
  Child copy = spawn_copy([&] {
    for (const int fd : {0, 1, 2}) ::close(fd);
    const FileDescriptor out(::open((folder / "out").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));      // 0
    const FileDescriptor error(::open((folder / "error").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));  // 1
    Program program = shell("echo data; echo talk >&2");
    program.in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);  // 2
    program.out = out.get();
    program.error = error.get();
    return spawn(program).wait().code().value_or(1);
  });
  EXPECT_TRUE(copy.wait().succeeded());
  EXPECT_EQ(read_all(folder / "out"), "data\n");
  EXPECT_EQ(read_all(folder / "error"), "talk\n");
}

TEST(Child, IsKilledWithItsObject) {
  pid_t pid = 0;
  {
    const Child child = spawn(shell("exec sleep 60"));
    pid = child.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(Child, CanBeAskedWithoutWaiting) {
  Child child = spawn(shell("exec sleep 60"));
  EXPECT_FALSE(child.ended());
  EXPECT_FALSE(child.ended_within(std::chrono::milliseconds(20)));
  child.signal(SIGTERM);
  const std::optional<ExitStatus> status = child.ended_within(std::chrono::seconds(20));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal(), SIGTERM);
  EXPECT_FALSE(child.ended());  // told once
  EXPECT_EQ(child.pid(), -1);
}

TEST(Child, WhoIgnoresSigchldIsNotKeptWaiting) {
  EXPECT_EQ(spawn_copy([] {
              std::signal(SIGCHLD, SIG_IGN);
              Child child = spawn(shell("exit 3"));
              return child.ended_within(std::chrono::seconds(20)) ? 0 : 1;
            })
                .wait()
                .in_words(),
            "ended with exit code 0");
}

}  // namespace
}  // namespace plumb
