#include "plumb/process/own_process.h"

#include <cerrno>
#include <exception>
#include <optional>
#include <span>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plumb/process/pipe.h"
#include "plumb/process/spawn.h"

namespace plumb {
namespace {

int do_silently(const std::function<bool(std::string& bytes)>& work, const FileDescriptor& result) {
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
  return succeeded && problem == 0 ? 0 : 1;
}

}  // namespace

WorkResult in_own_process(const std::function<bool(std::string& bytes)>& work) {
  Pipe pipe = make_pipe();
  Child child = spawn_copy([&] { return do_silently(work, pipe.to); });
  pipe.to.close();
  WorkResult result{.succeeded = false, .bytes = read_to_end(pipe.from)};
  result.succeeded = child.wait().succeeded() && !result.bytes.empty();
  return result;
}

int survived(const std::function<int()>& work, const std::function<void(int signal)>& on_crash) {
  const FileDescriptor said(::memfd_create("plumb-stderr", MFD_CLOEXEC));
  if (!said.is_open()) no_connection(errno);
  Child child = spawn_copy([&] {
    ::dup2(said.get(), STDERR_FILENO);
    return work();
  });
  const ExitStatus status = child.wait();
  if (status.crashed()) on_crash(*status.signal());
  ::lseek(said.get(), 0, SEEK_SET);
  const std::string text = read_to_end(said);
  write_fully(FileDescriptor(::dup(STDERR_FILENO)), std::as_bytes(std::span(text)));
  if (const std::optional<int> number = status.signal()) return 128 + *number;
  return *status.code();
}

}  // namespace plumb
