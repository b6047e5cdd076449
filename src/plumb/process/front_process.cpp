#include "plumb/process/front_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr char kFront[] = "plumb";
constexpr std::chrono::seconds kPatience{10};

// Where the child's three streams go, and whether it keeps out of the way of the terminal's signals.
struct Streams {
  int in, out, error;
  bool apart;
};

class SpawnPlan {
 public:
  explicit SpawnPlan(const Streams& streams) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&actions_, streams.in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, streams.out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, streams.error, STDERR_FILENO);
    if (!streams.apart) return;
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&blocked, number);
    ::posix_spawnattr_setsigmask(&attributes_, &blocked);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

pid_t spawn(const std::vector<std::string>& arguments, const fs::path& plumb, const Streams& streams) {
  const std::string program = (plumb.empty() ? find_front() : plumb).string();
  std::string name = kFront;
  std::vector<std::string> copies(arguments);
  std::vector<char*> argv{name.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const SpawnPlan plan(streams);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, program.c_str(), plan.actions(), plan.attributes(), argv.data(), environ);
  if (error != 0) {
    throw Error(Exit::OurMistake, program, fmt::format("cannot be started ({})", reason_of(error)),
                "It is needed to tokenise: build it with ./dev build (CMake target plumb), or put it in PATH");
  }
  return pid;
}

[[noreturn]] void no_connection(int error) {
  throw Error(Exit::OurMistake, kFront, fmt::format("cannot be talked to ({})", reason_of(error)),
              "Close some files or raise ulimit -n");
}

// The status that waitpid gives, or 0 if somebody else has waited for our child.
int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool ends_in_time(pid_t pid, int& status) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (auto pause = std::chrono::microseconds(200); std::chrono::steady_clock::now() < deadline; pause *= 2) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended != 0 && !(ended < 0 && errno == EINTR)) return true;
    std::this_thread::sleep_for(std::min(pause, std::chrono::microseconds(50'000)));
  }
  return false;
}

std::string read_to_end(int fd) {
  std::string all;
  char piece[4096];
  while (true) {
    const ssize_t got = ::read(fd, piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.append(piece, static_cast<size_t>(got));
  }
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {} ended it", WTERMSIG(status));
  return fmt::format("it ended with exit code {}", WEXITSTATUS(status));
}

fs::path find_front() {
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path() / kFront;
  return fs::exists(beside, ignored) ? beside : fs::path(kFront);
}

FrontProcess::FrontProcess(const std::vector<std::string>& arguments, const fs::path& plumb) {
  // A socket pair instead of two pipes: writing to it can be asked not to raise SIGPIPE.
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) no_connection(errno);
  connection_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  pid_ = spawn(arguments, plumb, {.in = theirs.get(), .out = theirs.get(), .error = STDERR_FILENO, .apart = true});
}

FrontProcess::~FrontProcess() {
  end();
}

std::string FrontProcess::end() {
  connection_.close();
  if (pid_ < 0) return "it had ended";
  int status = 0;
  if (!ends_in_time(pid_, status)) {
    ::kill(pid_, SIGKILL);
    status = wait_for(pid_);
  }
  pid_ = -1;
  return how_it_ended(status);
}

std::string run_front(const std::vector<std::string>& arguments, const fs::path& plumb) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) no_connection(errno);
  const FileDescriptor out(ends[0]);
  FileDescriptor theirs(ends[1]);
  // What it says may be longer than a pipe holds while nobody reads it: a file in memory.
  const FileDescriptor said(::memfd_create("plumb-stderr", MFD_CLOEXEC));
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!said.is_open() || !nothing.is_open()) no_connection(errno);

  const pid_t pid =
      spawn(arguments, plumb, {.in = nothing.get(), .out = theirs.get(), .error = said.get(), .apart = false});
  theirs.close();
  const std::string output = read_to_end(out.get());
  const int status = wait_for(pid);
  if (status == 0) return output;

  ::lseek(said.get(), 0, SEEK_SET);
  std::string line = last_line(read_to_end(said.get()));
  if (line.starts_with("plumb: ")) line.erase(0, 7);
  if (line.empty() || WIFSIGNALED(status)) line = fmt::format("plumb: cannot do its part: {}", how_it_ended(status));
  throw Error(WIFSIGNALED(status) ? Exit::OurMistake : static_cast<Exit>(WEXITSTATUS(status)), line);
}

}  // namespace plumb
