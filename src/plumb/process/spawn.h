#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include "plumb/process/child.h"

namespace plumb {

/// A program to start: what it is called with, where its three streams go, and what it shares with this process.
/// Environment and working directory are this process's, and so are signals that are ignored (nohup).
struct Program {
  std::filesystem::path file;          // a name without a folder is looked for in PATH
  std::vector<std::string> arguments;  // argv: the first is the name that it goes by
  int in = STDIN_FILENO, out = STDOUT_FILENO, error = STDERR_FILENO;

  /// A process group of its own, so that Ctrl-C, which the terminal sends to a whole group, does not reach it.
  bool own_group = false;
  /// It starts with SIGINT, SIGTERM, SIGHUP and SIGQUIT blocked.
  bool blocks_signals = false;
  /// It is killed when this process ends, however that ends. Linux counts the end of the thread that started it.
  bool ends_with_parent = false;
};

/// Starts it. A signal that is sent to it ends it from the first moment on: it never runs this process's handlers.
/// Cheap from a process with much memory, which is not copied. Throws Error if it cannot be started.
Child spawn(const Program& program);

/// A copy of this process that does `work` and ends with what that returns as its exit code, without the ends of static
/// objects and without writing what is buffered: those are the parent's. It is killed when this process ends.
Child spawn_copy(const std::function<int()>& work);

/// This process becomes the program, with the same pid and streams. Throws Error if it cannot be started.
[[noreturn]] void become(const std::filesystem::path& file, const std::vector<std::string>& arguments);

/// A program of that name beside this one if it is there, else the name alone, for PATH to find.
std::filesystem::path program_beside(const std::string& name);

}  // namespace plumb
