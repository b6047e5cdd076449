#include "plumb/base/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

bool is_closed(int fd) {
  return ::fcntl(fd, F_GETFD) < 0;
}

// open() takes the lowest number that is free: those below are open already.
void open_as(int fd, int flags) {
  if (!is_closed(fd)) return;
  if (::open("/dev/null", flags) >= 0) return;
  [[maybe_unused]] const int ignored = ::open("/", O_PATH);  // a root without devices: nothing can be read or written
}

}  // namespace

void open_standard_files() {
  open_as(STDIN_FILENO, O_WRONLY);   // so that reading fails
  open_as(STDOUT_FILENO, O_RDONLY);  // so that writing fails
  open_as(STDERR_FILENO, O_WRONLY);
}

FileDescriptor standard_input(const std::string& remedy) {
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  const bool readable = flags >= 0 && (flags & O_ACCMODE) != O_WRONLY && (flags & O_PATH) == 0;
  FileDescriptor input(readable ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1);
  if (!input.is_open()) throw UserError("stdin", "is closed", remedy);
  return input;
}

}  // namespace plumb
