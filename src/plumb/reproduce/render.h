#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumb/reproduce/catalogue.h"
#include "plumb/reproduce/result.h"

namespace plumb::reproduce {

/// What was found for each entry that was ever judged, by id.
using Results = std::map<std::string, Result>;
Results read_results(const std::filesystem::path& folder, const std::vector<Paper>& papers);

/// docs/papers/<paper>.md: every entry with claim, commands, expectation, what was measured and the verdict. A stale
/// result is shown as not run.
std::string paper_page(const Paper& paper, const Results& results);

/// docs/papers/README.md: all papers, how many entries have which verdict.
std::string overview_page(const std::vector<Paper>& papers, const Results& results);

/// `plumb reproduce --list`.
std::string list_text(const std::vector<Paper>& papers, const Results& results, size_t width);

/// One entry after it was judged, on the terminal.
std::string result_text(const Entry& entry, const Result& result);

}  // namespace plumb::reproduce
