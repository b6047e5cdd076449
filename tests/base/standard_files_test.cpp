#include "plumb/base/standard_files.h"

#include <cerrno>
#include <functional>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/to_stderr.h"
#include "plumb/process/pipe.h"
#include "plumb/process/signals.h"
#include "plumb/process/spawn.h"

namespace plumb {
namespace {

// The exit code of a copy of this process that does `work`; 99 if that takes too long.
int code_of(const std::function<int()>& work) {
  const std::optional<ExitStatus> status = spawn_copy(work).ended_within(std::chrono::seconds(60));
  return status ? status->code().value_or(-1) : 99;
}

TEST(StandardFiles, WhatIsOpenedLaterNeverGetsTheirNumbers) {
  for (const int closed : {0, 1, 2}) {
    EXPECT_EQ(code_of([&] {
                ::close(closed);
                open_standard_files();
                return ::open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1;
              }),
              0)
        << closed;
  }
  EXPECT_EQ(code_of([] {
              for (const int number : {0, 1, 2}) ::close(number);
              open_standard_files();
              return ::open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1;
            }),
            0);
}

TEST(StandardFiles, WhatWasClosedStaysUseless) {
  EXPECT_EQ(code_of([] {
              for (const int number : {0, 1, 2}) ::close(number);
              open_standard_files();
              char c = 'x';
              const bool no_data = ::write(STDOUT_FILENO, &c, 1) < 0 && ::read(STDIN_FILENO, &c, 1) < 0;
              return no_data && ::write(STDERR_FILENO, &c, 1) == 1 ? 0 : 1;
            }),
            0);
}

TEST(StandardFiles, OpenOnesAreLeftAlone) {
  EXPECT_EQ(code_of([] {
              Pipe pipe = make_pipe();
              ::dup2(pipe.from.get(), STDIN_FILENO);
              ::dup2(pipe.to.get(), STDERR_FILENO);
              open_standard_files();
              to_stderr("{}", "x");
              char c = 0;
              return ::read(STDIN_FILENO, &c, 1) == 1 && c == 'x' ? 0 : 1;
            }),
            0);
}

TEST(StandardFiles, AClosedStdinIsTheUsersMistake) {
  const auto input = [](bool closed) {
    if (closed) ::close(STDIN_FILENO);
    open_standard_files();
    try {
      return standard_input("").get() > STDERR_FILENO ? 0 : 1;
    } catch (const UserError&) {
      return 2;
    }
  };
  EXPECT_EQ(code_of([&] { return input(true); }), 2);
  EXPECT_EQ(code_of([&] {
              ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
              return input(false);
            }),
            0);
}

TEST(ToStderr, NeverFails) {
  const auto talk = [](int fd) {
    ::dup2(fd, STDERR_FILENO);
    errno = 7;
    to_stderr("{} {}\n", "update", 5);
    return errno;
  };
  EXPECT_EQ(code_of([&] { return talk(::open("/dev/full", O_WRONLY)); }), 7);
  EXPECT_EQ(code_of([&] {
              ignore_write_signals();
              Pipe pipe = make_pipe();
              pipe.from.close();
              return talk(pipe.to.get());
            }),
            7);
  EXPECT_EQ(code_of([&] {
              ::close(STDERR_FILENO);
              return talk(STDERR_FILENO);
            }),
            7);
}

TEST(ToStderr, AFullPipeThatDoesNotBlockLosesTalkOnly) {
  EXPECT_EQ(code_of([] {
              const Pipe pipe = make_pipe();
              ::fcntl(pipe.to.get(), F_SETFL, O_NONBLOCK);
              ::dup2(pipe.to.get(), STDERR_FILENO);
              write_to_stderr(std::string(1 << 20, 'x'));  // more than a pipe holds
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace plumb
