#include "plumb/runs/run_log.h"

#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/runs/record_json.h"

namespace plumb {
namespace {

// Most records count the updates that are done. These two are written within an update and carry its number from 0: of
// the update after u they say u.
bool is_of_the_update_to_come(const LogRecord& record) {
  return std::holds_alternative<GradientsRecord>(record) || std::holds_alternative<NonfiniteEvent>(record);
}

// `started` stands at update 0 and comes before everything; after `resumed` at u, what was done beyond u is done again.
void forget_what_is_done_again(std::vector<LogRecord>& records, const LogRecord& next) {
  if (std::holds_alternative<StartedEvent>(next)) {
    records.clear();
  } else if (const auto* resumed = std::get_if<ResumedEvent>(&next)) {
    std::erase_if(records, [&](const LogRecord& earlier) {
      const int64_t update = update_of(earlier);
      return update > resumed->update || (update == resumed->update && is_of_the_update_to_come(earlier));
    });
  }
}

// A run from elsewhere could bring any file of this machine into a page that is passed on.
bool leads_outside(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_symlink(file, error)) return false;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const std::string inside = (std::filesystem::canonical(folder, error) / "").string();
  const std::filesystem::path target = std::filesystem::canonical(file, error);
  return error || !target.string().starts_with(inside);
}

}  // namespace

bool is_beginning_of_record(std::string_view line) {
  return line.starts_with("{\"") || line == "{";
}

bool cannot_be_read(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (!std::filesystem::exists(status)) return false;
  return leads_outside(file) || !std::filesystem::is_regular_file(status) || !std::ifstream(file);
}

RunLog read_run_log(const std::filesystem::path& run, LogReading reading) {
  const std::filesystem::path path = run / kLogFile;
  const bool strict = reading == LogReading::Strict;
  RunLog log;
  std::ifstream file;
  if (!cannot_be_read(path)) file.open(path, std::ios::binary);
  if (strict && !file.is_open()) throw DamagedFile(path.string(), "cannot be read", "Name the directory of a run");
  std::string line;
  for (int64_t number = 1; file.is_open() && std::getline(file, line); ++number) {
    const bool unfinished = file.eof() && is_beginning_of_record(line);
    std::optional<LogRecord> record = record_of(nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false));
    if (record) {
      forget_what_is_done_again(log.records, *record);
      log.records.push_back(std::move(*record));
    } else if (!unfinished && !line.empty()) {
      if (strict) {
        throw DamagedFile(fmt::format("{}:{}", path.string(), number), "is not a record of a log", "Remove the line");
      }
      ++log.damaged_lines;
    }
  }
  return log;
}

}  // namespace plumb
