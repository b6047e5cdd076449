#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plumb::report {

/// A folder that a page is made of, and what it is called there.
struct NamedFolder {
  std::filesystem::path folder;
  std::string name;
};

/// What there is to show: folders with a log.jsonl or config.toml, with a probe.jsonl, with a sweep.json. A folder may
/// be several of these.
struct ShownFolders {
  std::vector<NamedFolder> runs, probes, sweeps;
};

/// A given folder that is nothing of the kind itself stands for those below it, in the order of their names; with a run
/// come the probes of it that lie in its folder `probes`. Throws UserError for one that does not exist, or in which
/// there is nothing to show.
ShownFolders find_shown_folders(const std::vector<std::string>& given);

/// Throws UserError if a page at `out` would take the place of a file that it is made of, or of whatever a link there
/// leads to.
void refuse_to_overwrite(const ShownFolders& folders, const std::filesystem::path& out);

}  // namespace plumb::report
