#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plumb/reproduce/entry.h"

namespace plumb::reproduce {

/// One of the papers: a folder of entries with a paper.toml.
struct Paper {
  std::string name;  // the folder's, and that of its page
  std::string title, citation, introduction;
  std::vector<Entry> entries;  // by id: F2a, F9, F10, T1
};

/// Reads every entry below a folder: <folder>/<paper>/<id>.toml.
std::vector<Paper> read_catalogue(const std::filesystem::path& folder);

/// The entries with these ids, in their order; without ids all that can run. Throws UserError with the nearest id.
std::vector<const Entry*> chosen_entries(const std::vector<Paper>& papers, const std::vector<std::string>& ids);

}  // namespace plumb::reproduce
