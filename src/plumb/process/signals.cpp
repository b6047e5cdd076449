#include "plumb/process/signals.h"

#include <atomic>

#include <unistd.h>

namespace plumb {
namespace {

// Any thread may be the one that is interrupted. Without locks they are safe in a handler.
std::atomic<int> g_first = 0, g_count = 0;
std::atomic<bool> g_second_ends = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_signal(int number) {
  int none = 0;
  g_first.compare_exchange_strong(none, number);
  if (++g_count > 1 && g_second_ends) ::_exit(128 + number);
}

}  // namespace

CaughtSignals::CaughtSignals(std::initializer_list<int> numbers, Second second) {
  g_first = 0;
  g_count = 0;
  g_second_ends = second == Second::EndsTheProcess;
  for (const int number : numbers) {
    before_.emplace_back(number, std::signal(number, on_signal));
    if (before_.back().second == SIG_IGN) std::signal(number, SIG_IGN);  // nohup
  }
}

CaughtSignals::~CaughtSignals() {
  for (const auto& [number, handler] : before_) std::signal(number, handler);
}

int CaughtSignals::first() const {
  return g_first;
}

int CaughtSignals::count() const {
  return g_count;
}

}  // namespace plumb
