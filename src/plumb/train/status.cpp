#include "plumb/train/status.h"

#include <cmath>

#include <fmt/format.h>
#include <unistd.h>

#include "plumb/base/progress.h"
#include "plumb/base/to_stderr.h"

namespace plumb {

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO)), last_(std::chrono::steady_clock::now()) {}

void StatusLine::show(const TrainRecord& record, int64_t max_update) {
  const auto now = std::chrono::steady_clock::now();
  const int64_t update = record.update;
  const auto number = [](const Number& field) { return field.value_or(NAN); };
  const double speed = static_cast<double>(update - last_update_) / std::chrono::duration<double>(now - last_).count();
  updates_per_second_ = updates_per_second_ == 0 ? speed : 0.8 * updates_per_second_ + 0.2 * speed;
  std::string text =
      fmt::format("update {}  epoch {:.0f}  loss {:.3f}  ppl {:.2f}  lr {:.2e}  gnorm {:.2f}  {:.0f} tok/s", update,
                  std::floor(number(record.epoch)), number(record.loss), std::exp(number(record.nll)),
                  number(record.lr), number(record.gnorm), number(record.wps));
  if (max_update > update && updates_per_second_ > 0) {
    text += "  " + duration_text(static_cast<double>(max_update - update) / updates_per_second_) + " left";
  }
  if (terminal_) {
    to_stderr("{}{}", kEraseLine, text);
  } else {
    to_stderr("{}\n", text);
  }
  last_ = now;
  last_update_ = update;
}

void StatusLine::show(const ValidRecord& record, const std::vector<std::pair<std::string, double>>& scores, bool best) {
  std::string text = fmt::format("valid at update {}: loss {:.3f}  ppl {:.2f}", record.update,
                                 record.loss.value_or(NAN), record.ppl.value_or(NAN));
  for (const auto& [name, value] : scores) text += fmt::format("  {} {:.2f}", name, value);
  say(text + (best ? "  (best)" : ""));
}

void StatusLine::say(const std::string& text) {
  to_stderr("{}{}\n", terminal_ ? kEraseLine : "", text);
}

}  // namespace plumb
