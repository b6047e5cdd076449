#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/runs/log_records.h"

namespace plumb {

/// One line on stderr that tells how a run is doing; a terminal sees it redrawn, a log file sees one line at a time.
class StatusLine {
 public:
  StatusLine();

  /// The update that a resumed run goes on from.
  void start_at(int64_t update) { last_update_ = update; }
  /// The time left until `max_update` is measured between calls.
  void show(const TrainRecord& record, int64_t max_update);
  /// `scores` are those of the record, in the order in which people read them.
  void show(const ValidRecord& record, const std::vector<std::pair<std::string, double>>& scores, bool best);
  /// A line that stays.
  void say(const std::string& text);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point last_;
  int64_t last_update_ = 0;
  double updates_per_second_ = 0;
};

}  // namespace plumb
