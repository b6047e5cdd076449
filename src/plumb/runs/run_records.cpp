#include "plumb/runs/run_records.h"

#include <fstream>
#include <string>

namespace plumb {
namespace {

using nlohmann::json;

bool is_record(const json& value) {
  if (!value.is_object()) return false;
  const auto type = value.find("type"), update = value.find("update");
  return type != value.end() && type->is_string() && update != value.end() && update->is_number_integer();
}

bool is_event(const json& record, const char* name) {
  const auto event = record.find("event");
  return record.at("type") == "event" && event != record.end() && *event == name;
}

// Most records count the updates that are done. These two are written within an update and carry its number from 0: of
// the update after u they say u.
bool is_of_the_update_to_come(const json& record) {
  return record.at("type") == "gradients" || is_event(record, "nonfinite");
}

// `started` stands at update 0 and comes before everything; after `resumed` at u, what was done beyond u is done again.
void forget_what_is_done_again(std::vector<json>& records, const json& next) {
  if (is_event(next, "started")) {
    records.clear();
  } else if (is_event(next, "resumed")) {
    const auto from = next.at("update").get<int64_t>();
    std::erase_if(records, [&](const json& earlier) {
      const auto update = earlier.at("update").get<int64_t>();
      return update > from || (update == from && is_of_the_update_to_come(earlier));
    });
  }
}

}  // namespace

bool is_beginning_of_record(std::string_view line) {
  return line.starts_with("{\"") || line == "{";
}

bool cannot_be_read(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (!std::filesystem::exists(status)) return false;
  return !std::filesystem::is_regular_file(status) || !std::ifstream(file);
}

RunRecords read_run_records(const std::filesystem::path& run) {
  RunRecords result;
  if (cannot_be_read(run / "log.jsonl")) return result;
  std::ifstream file(run / "log.jsonl", std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    const bool unfinished = file.eof() && is_beginning_of_record(line);
    json record = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (is_record(record)) {
      forget_what_is_done_again(result.records, record);
      result.records.push_back(std::move(record));
    } else if (!unfinished && !line.empty()) {
      ++result.damaged_lines;
    }
  }
  return result;
}

}  // namespace plumb
