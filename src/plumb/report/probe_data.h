#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plumb::report {

/// What `plumb probe --out` left in a folder: one arm for each wiring, with its curves of means and its verdict. The
/// readings of single seeds stay in the file. Lines that cannot be read are counted in "problems".
nlohmann::json probe_data(const std::filesystem::path& folder, const std::string& name);

/// The rows of the catalogue that explain the numbers: names, papers, what each number means.
nlohmann::json probe_catalogue();

}  // namespace plumb::report
