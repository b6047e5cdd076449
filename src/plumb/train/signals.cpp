#include "plumb/train/signals.h"

#include <csignal>

#include <unistd.h>

namespace plumb {
namespace {

volatile std::sig_atomic_t g_caught = 0;

void on_signal(int number) {
  if (g_caught) _exit(128 + number);
  g_caught = number;
}

}  // namespace

SignalWatch::SignalWatch() {
  g_caught = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

SignalWatch::~SignalWatch() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int SignalWatch::caught() const {
  return g_caught;
}

}  // namespace plumb
