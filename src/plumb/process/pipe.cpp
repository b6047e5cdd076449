#include "plumb/process/pipe.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

FileDescriptor above_standard_streams(int fd) {
  FileDescriptor file(fd);
  if (fd > STDERR_FILENO) return file;
  FileDescriptor higher(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!higher.is_open()) no_connection(errno);
  return higher;
}

}  // namespace

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) no_connection(errno);
  FileDescriptor from = above_standard_streams(ends[0]), to = above_standard_streams(ends[1]);
  return {std::move(from), std::move(to)};
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

void no_connection(int error) {
  throw UserError("pipe", fmt::format("cannot connect to `plumb` ({})", reason_of(error)),
                  "Close some files or raise ulimit -n");
}

}  // namespace plumb
