#include "plumb/runs/run_log.h"

#include <fstream>
#include <string>

#include <fmt/format.h>

#include "plumb/base/error.h"

namespace plumb {

std::vector<nlohmann::json> read_log(const std::filesystem::path& run) {
  const std::filesystem::path path = run / "log.jsonl";
  std::ifstream file(path);
  if (!file) throw DamagedFile(path.string(), "cannot be read", "Is this the directory of a run?");
  std::vector<nlohmann::json> records;
  std::string line;
  for (int64_t number = 1; std::getline(file, line); ++number) {
    const bool unfinished = file.eof();
    nlohmann::json record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object() && record.contains("type")) {
      records.push_back(std::move(record));
    } else if (!unfinished) {
      throw DamagedFile(fmt::format("{}:{}", path.string(), number), "is not a record of a log", "Remove the line");
    }
  }
  return records;
}

std::vector<nlohmann::json> records_of(const std::vector<nlohmann::json>& log, std::string_view type) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& record : log) {
    if (record.at("type") == type) found.push_back(record);
  }
  return found;
}

}  // namespace plumb
