#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "plumb/report/shown_folders.h"

namespace plumb::report {

/// Runs that were read before, for pages that are made again and again: a run whose files are as they were, by their
/// sizes and times, is not read a second time.
struct ReadRuns {
  struct Run {
    std::string state;
    nlohmann::json data;
  };
  std::map<std::string, Run> by_folder;
};

/// Everything that a page shows, read now, several runs at a time (docs/report.md has the form).
nlohmann::json page_data(const ShownFolders& folders, ReadRuns* before = nullptr);

/// Sizes and times of the files of a folder that a page is made of.
std::string state_of(const NamedFolder& folder);

/// JSON that may stand in a <script> element: no `<`, `>` or `&`, so that no text of a run can end the element or begin
/// another, and no U+2028 or U+2029. Numbers that are not finite are strings, as in the logs.
std::string to_script_json(const nlohmann::json& data);

}  // namespace plumb::report
