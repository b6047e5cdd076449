#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace plumb {

/// One line on stderr that tells how a run is doing; a terminal sees it redrawn, a log file sees one line at a time.
class StatusLine {
 public:
  StatusLine();

  struct Numbers {
    int64_t update = 0, max_update = 0, epoch = 0;
    double loss = 0, perplexity = 0, lr = 0, gradient_norm = 0;
    int64_t tokens = 0;  // target tokens since the last call
  };
  /// The update that a resumed run goes on from.
  void start_at(int64_t update) { last_update_ = update; }
  /// Rate and time left are measured between calls. Gives the tokens per second.
  double show(const Numbers& numbers);
  /// A line that stays.
  void say(const std::string& text);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point last_;
  int64_t last_update_ = 0;
  double updates_per_second_ = 0;
};

}  // namespace plumb
