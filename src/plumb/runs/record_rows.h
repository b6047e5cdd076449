#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// A kind of record and its fields, for people: docs/run-directory.md and `plumb list run-directory`.
struct RecordRow {
  struct Field {
    std::string_view key;  // empty: every other key
    std::string type;
    std::string_view help;
  };
  std::string_view type, event;  // event: empty if it is none
  std::string_view when;
  std::vector<Field> fields;
};

/// In the order of LogRecord.
std::vector<RecordRow> record_rows();
/// In the order of ProbeRecord.
std::vector<RecordRow> probe_record_rows();

/// The tables of docs/run-directory.md: files, records, events.
std::string run_directory_markdown();

}  // namespace plumb
