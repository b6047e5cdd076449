#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "plumb/runs/log_records.h"

namespace plumb {

/// What to do about a line that is no record.
enum class LogReading {
  Strict,    // refuse the log: our own run has just written it
  Tolerant,  // count the line: a run may be half written, or from somebody else
};

/// The records of a run's log.jsonl that count: what a run wrote after the checkpoint from which it was resumed, or
/// before it had to start again, was done a second time and is left out.
struct RunLog {
  std::vector<LogRecord> records;
  int64_t damaged_lines = 0;  // no records; a last line that is still being written is not among them

  /// Those of one kind, in order: log.all<TrainRecord>().
  template <class Record>
  std::vector<const Record*> all() const {
    std::vector<const Record*> found;
    for (const LogRecord& record : records) {
      if (const Record* one = std::get_if<Record>(&record)) found.push_back(one);
    }
    return found;
  }
};

/// Tolerant reading never throws for what stands in the file; without a file there are no records. Strict reading
/// throws DamagedFile for both, and names the line.
RunLog read_run_log(const std::filesystem::path& run, LogReading reading);

/// Whether a last line without an end is a record that is still being written, and not something else.
bool is_beginning_of_record(std::string_view line);

/// Whether it is there and yet has nothing to read: a folder, a pipe, a file of somebody else, or
/// a link that leads out of its folder.
bool cannot_be_read(const std::filesystem::path& file);

}  // namespace plumb
