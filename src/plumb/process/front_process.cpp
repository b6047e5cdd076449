#include "plumb/process/front_process.h"

#include <cerrno>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/process/pipe.h"
#include "plumb/process/spawn.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr char kFront[] = "plumb";
constexpr std::chrono::seconds kPatience{10};

Program front_program(const std::vector<std::string>& arguments, const fs::path& plumb) {
  Program program{.file = plumb.empty() ? find_front() : plumb, .arguments = {kFront}};
  program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
  return program;
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

fs::path find_front() {
  return program_beside(kFront);
}

FrontProcess::FrontProcess(const std::vector<std::string>& arguments, const fs::path& plumb) {
  // A socket pair instead of two pipes: writing to it can be asked not to raise SIGPIPE.
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) no_connection(errno);
  connection_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  Program program = front_program(arguments, plumb);
  program.in = program.out = theirs.get();
  program.own_group = true;
  program.blocks_signals = true;
  child_ = spawn(program);
}

FrontProcess::~FrontProcess() {
  end();
}

std::string FrontProcess::end() {
  connection_.close();
  if (child_.pid() < 0) return "has ended before";
  status_ = child_.ended_within(kPatience);
  if (status_) return status_->in_words();
  child_.signal(SIGKILL);
  status_ = child_.wait();
  return status_->in_words();
}

std::string run_front(const std::vector<std::string>& arguments, const fs::path& plumb) {
  Pipe pipe = make_pipe();
  // What it says may be longer than a pipe holds while nobody reads it: a file in memory.
  const FileDescriptor said(::memfd_create("plumb-stderr", MFD_CLOEXEC));
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!said.is_open() || !nothing.is_open()) no_connection(errno);

  Program program = front_program(arguments, plumb);
  program.in = nothing.get();
  program.out = pipe.to.get();
  program.error = said.get();
  Child child = spawn(program);
  pipe.to.close();
  const std::string output = read_to_end(pipe.from);
  const ExitStatus status = child.wait();
  if (status.succeeded()) return output;

  ::lseek(said.get(), 0, SEEK_SET);
  std::string line = last_line(read_to_end(said));
  if (line.starts_with("plumb: ")) line.erase(0, 7);
  if (line.empty() || !status.code()) {
    line = fmt::format("`plumb{}{}` {}", arguments.empty() ? "" : " ", arguments.empty() ? "" : arguments.front(),
                       status.in_words());
  }
  throw Error(static_cast<Exit>(status.code().value_or(static_cast<int>(Exit::OurMistake))), line);
}

}  // namespace plumb
