#include "plumb/process/child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

namespace plumb {

std::optional<int> ExitStatus::code() const {
  return WIFEXITED(status_) ? std::optional(WEXITSTATUS(status_)) : std::nullopt;
}

std::optional<int> ExitStatus::signal() const {
  return WIFSIGNALED(status_) ? std::optional(WTERMSIG(status_)) : std::nullopt;
}

bool ExitStatus::crashed() const {
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
  const std::optional<int> number = signal();
  return number && std::ranges::find(kFaults, *number) != std::end(kFaults);
}

std::string ExitStatus::in_words() const {
  if (const std::optional<int> number = signal()) return fmt::format("was killed by signal {}", *number);
  return fmt::format("ended with exit code {}", WEXITSTATUS(status_));
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), leads_group_(other.leads_group_) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(leads_group_, other.leads_group_);
  return *this;
}

Child::~Child() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  wait_with(0);
}

void Child::signal(int number) const {
  if (pid_ > 0) ::kill(leads_group_ ? -pid_ : pid_, number);
}

std::optional<ExitStatus> Child::wait_with(int options) {
  if (pid_ < 0) return std::nullopt;
  int status = 0;
  pid_t found = 0;
  do {
    found = ::waitpid(pid_, &status, options);
  } while (found < 0 && errno == EINTR);
  if (found == 0) return std::nullopt;
  pid_ = -1;
  return ExitStatus(status);
}

std::optional<ExitStatus> Child::ended() {
  return wait_with(WNOHANG);
}

std::optional<ExitStatus> Child::ended_within(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (auto pause = std::chrono::microseconds(200);; pause = std::min(2 * pause, std::chrono::microseconds(50'000))) {
    if (std::optional<ExitStatus> status = ended()) return status;
    if (pid_ < 0 || std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

ExitStatus Child::wait() {
  if (const std::optional<ExitStatus> status = wait_with(0)) return *status;
  throw std::logic_error("there is no process to wait for");
}

}  // namespace plumb
