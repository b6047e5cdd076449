#include "plumb/process/signals.h"

namespace plumb {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_first = 0, g_count = 0;

void on_signal(int number) {
  if (g_first == 0) g_first = number;
  g_count = g_count + 1;
}

}  // namespace

CaughtSignals::CaughtSignals() {
  g_first = 0;
  g_count = 0;
  for (int i = 0; i < 3; ++i) {
    before_[i] = std::signal(kSignals[i], on_signal);
    if (before_[i] == SIG_IGN) std::signal(kSignals[i], SIG_IGN);  // nohup
  }
}

CaughtSignals::~CaughtSignals() {
  for (int i = 0; i < 3; ++i) std::signal(kSignals[i], before_[i]);
}

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int number : kSignals) sigaddset(&held, number);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void HeldSignals::release_in_child() const {
  for (const int number : kSignals) {
    if (std::signal(number, SIG_DFL) == SIG_IGN) std::signal(number, SIG_IGN);  // nohup
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int CaughtSignals::first() const {
  return g_first;
}

int CaughtSignals::count() const {
  return g_count;
}

}  // namespace plumb
