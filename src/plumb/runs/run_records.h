#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plumb {

/// The records of a run's log.jsonl that count: what a run wrote after the checkpoint from which it was resumed, or
/// before it had to start again, was done a second time and is left out.
struct RunRecords {
  std::vector<nlohmann::json> records;  // objects with a string "type" and an integer "update"
  int64_t damaged_lines = 0;            // no records; a last line that is still being written is not among them
};

/// Never throws for what stands in the file: a run may be half written, or from somebody else. No file: no records.
RunRecords read_run_records(const std::filesystem::path& run);

/// Whether a last line without an end is a record that is still being written, and not something else.
bool is_beginning_of_record(std::string_view line);

/// Whether it is there and yet has nothing to read: a folder, a pipe, or a file of somebody else.
bool cannot_be_read(const std::filesystem::path& file);

}  // namespace plumb
