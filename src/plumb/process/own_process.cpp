#include "plumb/process/own_process.h"

#include <cerrno>
#include <csignal>
#include <exception>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"

namespace plumb {
namespace {

constexpr int kSucceeded = 0, kFailed = 1;

[[noreturn]] void do_it(const std::function<bool(std::string& bytes)>& work, const FileDescriptor& result) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ::dup2(nowhere.get(), STDERR_FILENO);
  ::dup2(nowhere.get(), STDOUT_FILENO);
  bool succeeded = false;
  std::string bytes;
  try {
    succeeded = work(bytes);
  } catch (const std::exception& error) {
    bytes = error.what();
  }
  const int problem = write_fully(result, std::as_bytes(std::span(bytes)));
  ::_exit(succeeded && problem == 0 ? kSucceeded : kFailed);  // not exit(): what is buffered belongs to the parent
}

std::string read_to_end(const FileDescriptor& file) {
  std::string all;
  char piece[65536];
  while (true) {
    const ssize_t got = ::read(file.get(), piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.append(piece, static_cast<size_t>(got));
  }
}

}  // namespace

Outcome in_own_process(const std::function<bool(std::string& bytes)>& work) {
  int ends[2];
  const bool connected = ::pipe2(ends, O_CLOEXEC) == 0;
  const pid_t pid = connected ? ::fork() : -1;
  if (pid < 0) {
    throw Error(Exit::OurMistake, "plumb", "no process can be started: " + reason_of(errno),
                "Free some memory or raise ulimit -u");
  }
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  if (pid == 0) do_it(work, to);
  to.close();
  Outcome outcome{.succeeded = false, .bytes = read_to_end(from)};
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == kSucceeded && !outcome.bytes.empty();
  return outcome;
}

}  // namespace plumb
