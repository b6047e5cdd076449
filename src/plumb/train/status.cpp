#include "plumb/train/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/progress.h"

namespace plumb {
namespace {

constexpr char kErase[] = "\r\033[K";

}  // namespace

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO)), last_(std::chrono::steady_clock::now()) {}

double StatusLine::show(const Numbers& n) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  const double rate = static_cast<double>(n.tokens) / seconds;
  const double speed = static_cast<double>(n.update - last_update_) / seconds;
  updates_per_second_ = updates_per_second_ == 0 ? speed : 0.8 * updates_per_second_ + 0.2 * speed;
  std::string text = fmt::format("update {}  epoch {}  loss {:.3f}  ppl {:.2f}  lr {:.2e}  gnorm {:.2f}  {:.0f} tok/s",
                                 n.update, n.epoch, n.loss, n.perplexity, n.lr, n.gradient_norm, rate);
  if (n.max_update > n.update && updates_per_second_ > 0) {
    text += "  " + duration_text(static_cast<double>(n.max_update - n.update) / updates_per_second_) + " left";
  }
  if (terminal_) {
    fmt::print(stderr, "{}{}", kErase, text);
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  last_ = now;
  last_update_ = n.update;
  return rate;
}

void StatusLine::say(const std::string& text) {
  fmt::print(stderr, "{}{}\n", terminal_ ? kErase : "", text);
}

}  // namespace plumb
