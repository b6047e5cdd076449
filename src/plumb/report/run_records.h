#pragma once

#include <filesystem>
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

}  // namespace plumb
