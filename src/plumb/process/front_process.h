#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "plumb/base/file_descriptor.h"

namespace plumb {

/// The program `plumb`: beside this program if it is there, else the name for PATH to find.
std::filesystem::path find_front();

/// A `plumb` that runs beside this process with one connection, which is its stdin and its stdout; stderr is shared.
/// It has a process group of its own and starts with SIGINT, SIGTERM, SIGHUP and SIGQUIT blocked, so that Ctrl-C, which
/// the terminal sends to a whole group, never takes it away before its parent has saved.
class FrontProcess {
 public:
  FrontProcess(const std::vector<std::string>& arguments, const std::filesystem::path& plumb = {});
  FrontProcess(const FrontProcess&) = delete;
  FrontProcess& operator=(const FrontProcess&) = delete;
  ~FrontProcess();

  const FileDescriptor& connection() const { return connection_; }
  pid_t pid() const { return pid_; }

  /// Closes the connection, waits (the process sees the end of its input, and is killed after ten seconds) and says
  /// how it ended: "it ended with exit code 3", "signal 9 ended it".
  std::string end();

 private:
  FileDescriptor connection_;
  pid_t pid_ = -1;
};

/// What waitpid's status says: "it ended with exit code 3", "signal 9 ended it".
std::string how_it_ended(int status);

/// Runs `plumb` to its end and returns what it wrote to stdout. If it fails, its own line is thrown with its own exit
/// code. Unlike FrontProcess it stays in this process group: Ctrl-C ends both.
std::string run_front(const std::vector<std::string>& arguments, const std::filesystem::path& plumb = {});

}  // namespace plumb
