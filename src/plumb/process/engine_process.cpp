#include "plumb/process/engine_process.h"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/process/signals.h"

namespace plumb {
namespace {

FileDescriptor open_or_throw(const std::filesystem::path& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!file.is_open()) throw DiskError(path.string(), "cannot be opened: " + reason_of(errno), "Choose another --out");
  return file;
}

// Between fork and exec: only what is safe there.
[[noreturn]] void become(const char* program, char* const* argv, int in, int out, int said, pid_t parent,
                         const HeldSignals& held) {
  ::setpgid(0, 0);
  held.release_in_child();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it ended before the line above
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
  ::execvp(program, argv);
  constexpr char kMessage[] = "plumb: the program cannot be started\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  ::_exit(127);
}

}  // namespace

EngineProcess::EngineProcess(const std::filesystem::path& plumb, const std::vector<std::string>& arguments,
                             const std::filesystem::path& said, const std::filesystem::path& output) {
  const FileDescriptor in = open_or_throw("/dev/null", O_RDONLY);
  const FileDescriptor out = open_or_throw(output.empty() ? "/dev/null" : output, O_WRONLY | O_CREAT | O_TRUNC);
  const FileDescriptor error = said.empty() ? FileDescriptor() : open_or_throw(said, O_WRONLY | O_CREAT | O_APPEND);
  const std::string program = plumb.string();
  std::string name = "plumb";
  std::vector<std::string> copies(arguments);
  std::vector<char*> argv{name.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const HeldSignals held;
  pid_ = ::fork();
  const int said_to = said.empty() ? STDERR_FILENO : error.get();
  if (pid_ == 0) become(program.c_str(), argv.data(), in.get(), out.get(), said_to, parent, held);
  if (pid_ < 0) {
    throw Error(Exit::OurMistake, program, "cannot be started: " + reason_of(errno), "Use fewer cores at a time");
  }
  ::setpgid(pid_, pid_);  // whoever comes first: a signal may be sent before the child has run
}

EngineProcess::EngineProcess(EngineProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

EngineProcess& EngineProcess::operator=(EngineProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

EngineProcess::~EngineProcess() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> EngineProcess::ended() {
  int status = 0;
  if (pid_ < 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return status;
}

void EngineProcess::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

std::string last_complaint(const std::filesystem::path& said, uint64_t begin) {
  constexpr std::string_view kOurs = "plumb: ";
  std::ifstream file(said, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  std::string any, ours;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    any = line;
    if (line.starts_with(kOurs)) ours = line.substr(kOurs.size());
  }
  return ours.empty() ? any : ours;
}

}  // namespace plumb
