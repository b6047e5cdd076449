#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "plumb/base/file_descriptor.h"
#include "plumb/process/child.h"

namespace plumb {

/// The program `plumb`: beside this program if it is there, else the name for PATH to find.
std::filesystem::path find_front();

/// A `plumb` that runs beside this process with one connection, which is its stdin and its stdout; stderr is shared.
/// It has a process group of its own and starts with SIGINT, SIGTERM, SIGHUP and SIGQUIT blocked, so that Ctrl-C, which
/// the terminal sends to a whole group, never takes it away before its parent has saved. It lives on when the thread
/// that started it ends.
class FrontProcess {
 public:
  FrontProcess(const std::vector<std::string>& arguments, const std::filesystem::path& plumb = {});
  FrontProcess(const FrontProcess&) = delete;
  FrontProcess& operator=(const FrontProcess&) = delete;
  ~FrontProcess();

  const FileDescriptor& connection() const { return connection_; }
  pid_t pid() const { return child_.pid(); }

  /// Closes the connection, waits (the process sees the end of its input, and is killed after ten seconds) and says
  /// how it ended: "ended with exit code 3", "was killed by signal 9".
  std::string end();

  /// How it ended; none before end().
  const std::optional<ExitStatus>& status() const { return status_; }

 private:
  FileDescriptor connection_;
  Child child_;
  std::optional<ExitStatus> status_;
};

/// Runs `plumb` to its end and returns what it wrote to stdout. If it fails, its own line is thrown with its own exit
/// code. Unlike FrontProcess it stays in this process group: Ctrl-C ends both.
std::string run_front(const std::vector<std::string>& arguments, const std::filesystem::path& plumb = {});

}  // namespace plumb
