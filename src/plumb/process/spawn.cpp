#include "plumb/process/spawn.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>

#include "plumb/base/error.h"
#include "plumb/base/file_descriptor.h"
#include "plumb/process/pipe.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// What exec expects: pointers into the texts, which must stay where they are.
class Argv {
 public:
  explicit Argv(const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) pointers_.push_back(const_cast<char*>(argument.c_str()));
    pointers_.push_back(nullptr);
  }
  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<char*> pointers_;
};

[[noreturn]] void cannot_start(const fs::path& file, int error) {
  const bool short_of = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
  throw Error(Exit::OurMistake, file.string(), fmt::format("cannot be started ({})", reason_of(error)),
              short_of ? "Free some memory, or start fewer processes at a time"
                       : "Build it with ./dev build, or put it in PATH");
}

/// Everything that the child reads before exec, made ready by the parent.
struct Start {
  const char* file;
  char* const* argv;
  int streams[3];
  bool own_group, ends_with_parent;
  pid_t parent;
  sigset_t mask;
  int problem;  // a pipe that takes the errno of what failed
};

void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it ended before the line above
}

// A handler would run in memory that is the parent's.
void forget_handlers() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) {
      continue;
    }
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
  }
}

// One may be the number of another, if this process was started without some of them.
void set_streams(const int (&given)[3]) {
  int from[3];
  for (int i = 0; i < 3; ++i) {
    from[i] = given[i] != i && given[i] < 3 ? ::fcntl(given[i], F_DUPFD_CLOEXEC, 3) : given[i];
  }
  for (int i = 0; i < 3; ++i) {
    if (from[i] == i) {
      ::fcntl(i, F_SETFD, 0);
    } else {
      ::dup2(from[i], i);
    }
  }
}

// Between vfork and exec: only what is safe there. Signals are blocked until there are no handlers any more; what came
// meanwhile is then delivered, and ends it.
[[noreturn]] void run_child(const Start& start) {
  if (start.own_group) ::setpgid(0, 0);
  if (start.ends_with_parent) end_with(start.parent);
  set_streams(start.streams);
  forget_handlers();
  ::pthread_sigmask(SIG_SETMASK, &start.mask, nullptr);
  ::execvp(start.file, start.argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(start.problem, &error, sizeof(error));
  ::_exit(127);
}

// vfork and not fork: a fork copies the page tables of a process that may have many gigabytes, and runs what libraries
// have asked for (OpenBLAS ends its threads). The parent waits until exec.
[[gnu::noinline]] pid_t start_child(const Start& start) {
  const pid_t pid = ::vfork();
  if (pid == 0) run_child(start);
  return pid;
}

/// While it lives no signal reaches this thread.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

}  // namespace

Child spawn(const Program& program) {
  const Argv argv(program.arguments);
  Pipe problem = make_pipe();
  Start start{.file = program.file.c_str(),
              .argv = argv.get(),
              .streams = {program.in, program.out, program.error},
              .own_group = program.own_group,
              .ends_with_parent = program.ends_with_parent,
              .parent = ::getpid(),
              .mask = {},
              .problem = problem.to.get()};
  pid_t pid = -1;
  int error = 0;
  {
    const AllSignalsBlocked blocked;
    start.mask = blocked.before();
    if (program.blocks_signals) {
      for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&start.mask, number);
    }
    pid = start_child(start);
    error = errno;
  }
  if (pid < 0) cannot_start(program.file, error);
  Child child(pid, program.own_group);
  problem.to.close();
  const std::string failed = read_to_end(problem.from);
  if (failed.size() != sizeof(error)) return child;
  std::memcpy(&error, failed.data(), sizeof(error));
  child.wait();
  cannot_start(program.file, error);
}

Child spawn_copy(const std::function<int()>& work) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    end_with(parent);
    ::_exit(work());
  }
  if (pid < 0) cannot_start("plumb", errno);
  return {pid, /*leads_group=*/false};
}

void become(const fs::path& file, const std::vector<std::string>& arguments) {
  const Argv argv(arguments);
  ::execvp(file.c_str(), argv.get());
  cannot_start(file, errno);
}

fs::path program_beside(const std::string& name) {
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path() / name;
  return fs::exists(beside, ignored) ? beside : fs::path(name);
}

}  // namespace plumb
