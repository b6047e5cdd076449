#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <sys/types.h>

namespace plumb {

/// How a process ended.
class ExitStatus {
 public:
  explicit ExitStatus(int wait_status) : status_(wait_status) {}  // as waitpid gives it

  bool succeeded() const { return status_ == 0; }
  std::optional<int> code() const;    // none: a signal killed it
  std::optional<int> signal() const;  // none: it ended by itself
  /// The program itself or a library did what it must not (SIGSEGV, SIGABRT and the like): nobody asked it to end.
  bool crashed() const;
  /// "ended with exit code 3", "was killed by signal 9".
  std::string in_words() const;

 private:
  int status_;
};

/// A child process, as spawn() starts it. It does not outlive this object.
class Child {
 public:
  Child() = default;  // none
  /// `leads_group`: it has a process group of its own, and signals go to all of that.
  Child(pid_t pid, bool leads_group) : pid_(pid), leads_group_(leads_group) {}
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();  // kills it, if it has not ended

  pid_t pid() const { return pid_; }  // -1: it has ended, and somebody has been told
  void signal(int number) const;

  /// Each gives the status once; afterwards there is no process any more. If somebody else has waited for it (who
  /// ignores SIGCHLD has the system do so) it counts as exit code 0.
  std::optional<ExitStatus> ended();  // without waiting
  std::optional<ExitStatus> ended_within(std::chrono::milliseconds patience);
  ExitStatus wait();

 private:
  std::optional<ExitStatus> wait_with(int options);

  pid_t pid_ = -1;
  bool leads_group_ = false;
};

}  // namespace plumb
