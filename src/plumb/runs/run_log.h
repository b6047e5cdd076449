#pragma once

#include <filesystem>
#include <vector>

#include <nlohmann/json.hpp>

namespace plumb {

/// The records of a run's log.jsonl, in order. A last line that is still being written is left out. Throws DamagedFile
/// if there is no log or any other line is not JSON.
std::vector<nlohmann::json> read_log(const std::filesystem::path& run);

/// Those of one type: "train", "valid", "gradients", "event".
std::vector<nlohmann::json> records_of(const std::vector<nlohmann::json>& log, std::string_view type);

}  // namespace plumb
