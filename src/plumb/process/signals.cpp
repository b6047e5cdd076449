#include "plumb/process/signals.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <unistd.h>

#include "plumb/base/to_stderr.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::seconds;

constexpr int64_t kPausesOfPatience = 10;
constexpr Seconds kLongestPatience =
    std::chrono::hours(1);  // a process that was stopped for a night looks like a pause

// Any thread may be the one that is interrupted. Without locks they are safe in a handler.
std::atomic<int> g_first = 0, g_count = 0;
std::atomic<bool> g_second_ends = false;
std::atomic<bool> g_asked_for = false;     // the first one
std::atomic<int> g_unwatched = 0;          // how many UnwatchedWork there are
std::atomic<int64_t> g_patience = 0;       // in ticks of the clock, as the next two
std::atomic<int64_t> g_last_sign = 0;      // of progress
std::atomic<int64_t> g_longest_pause = 0;  // between two signs
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<int64_t>::is_always_lock_free);

int64_t now() {
  return Clock::now().time_since_epoch().count();
}

int64_t ticks(Seconds seconds) {
  return Clock::duration(seconds).count();
}

void wake_in(int64_t patience) {
  ::alarm(static_cast<unsigned>(std::max<int64_t>(1, patience / ticks(Seconds(1)) + 1)));
}

void on_signal(int number) {
  int none = 0;
  const bool is_first = g_first.compare_exchange_strong(none, number);
  if (++g_count > 1 && g_second_ends) ::_exit(128 + number);
  if (is_first && g_second_ends) {
    g_last_sign = now();
    wake_in(g_patience);
  }
}

// Nobody may be able to look any more: OpenBLAS, for one, asks for ever for memory that it does not get.
void on_alarm(int) {
  if (g_asked_for || g_first == 0) return;
  const int64_t allowed = g_patience + std::min(kPausesOfPatience * g_longest_pause, ticks(kLongestPatience));
  const int64_t waited = now() - g_last_sign;
  if (g_unwatched > 0 || waited < allowed) return wake_in(std::max(allowed - waited, g_patience.load()));
  write_to_stderr("plumb: no progress since the signal; ending without a save\n");
  ::_exit(128 + g_first);
}

}  // namespace

void ignore_write_signals() {
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
}

CaughtSignals::CaughtSignals(std::initializer_list<int> numbers, Second second, Seconds patience) {
  g_first = 0;
  g_count = 0;
  g_second_ends = second == Second::EndsTheProcess;
  g_asked_for = false;
  g_patience = ticks(patience);
  g_last_sign = 0;
  g_longest_pause = 0;
  if (g_second_ends) take(SIGALRM, on_alarm);
  for (const int number : numbers) take(number, on_signal);
}

void CaughtSignals::take(int number, void (*handler)(int)) {
  struct sigaction before {};
  if (::sigaction(number, nullptr, &before) != 0 || (number != SIGALRM && before.sa_handler == SIG_IGN)) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
  before_.emplace_back(number, before);
}

CaughtSignals::~CaughtSignals() {
  if (g_second_ends) ::alarm(0);
  for (const auto& [number, action] : before_) ::sigaction(number, &action, nullptr);
}

int CaughtSignals::first() const {
  note_progress();
  const int number = g_first;
  if (number != 0) g_asked_for = true;
  return number;
}

int CaughtSignals::count() const {
  return g_count;
}

void note_progress() {
  const int64_t at = now(), before = g_last_sign.exchange(at);
  if (before != 0 && at - before > g_longest_pause) g_longest_pause = at - before;
}

UnwatchedWork::UnwatchedWork() {
  ++g_unwatched;
}

UnwatchedWork::~UnwatchedWork() {
  g_last_sign = now();
  --g_unwatched;
}

}  // namespace plumb
