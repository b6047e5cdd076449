#include "plumb/reproduce/catalogue.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/config/suggestion.h"
#include "plumb/reproduce/toml_table.h"

namespace plumb::reproduce {
namespace {

namespace fs = std::filesystem;

constexpr char kPaperFile[] = "paper.toml";

// F9 before F10: every run of digits counts as a number.
std::string sorting_key(const std::string& id) {
  std::string key;
  for (size_t i = 0; i < id.size();) {
    size_t end = i;
    while (end < id.size() && std::isdigit(static_cast<unsigned char>(id[end]))) ++end;
    if (end > i) {
      key += fmt::format("{:0>6}", id.substr(i, end - i));
      i = end;
    } else {
      key += id[i++];
    }
  }
  return key;
}

Paper read_paper(const fs::path& folder) {
  const TomlTable table(folder / kPaperFile);
  table.allow_only({"title", "citation", "introduction"});
  Paper paper{.name = folder.filename().string(),
              .title = table.required_text("title"),
              .citation = table.required_text("citation"),
              .introduction = table.text("introduction"),
              .entries = {}};
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".toml" && file.path().filename() != kPaperFile) {
      paper.entries.push_back(read_entry(file.path()));
    }
  }
  std::ranges::sort(paper.entries, {}, [](const Entry& entry) { return sorting_key(entry.id); });
  return paper;
}

// A sweep is known by its name alone, since its runs are kept under it: two files of one name would share them.
void refuse_namesakes(const std::vector<Paper>& papers) {
  std::map<std::string, fs::path> sweeps;
  std::map<std::string, std::string> ids;
  for (const Paper& paper : papers) {
    for (const Entry& entry : paper.entries) {
      const auto [id, is_new] = ids.emplace(entry.id, paper.name);
      if (!is_new) throw UserError(entry.id, "is in two papers", "Give each entry an id of its own");
      for (const fs::path& sweep : entry.desk.sweeps) {
        const auto [known, added] = sweeps.emplace(sweep_name(sweep), sweep);
        if (known->second == sweep) continue;
        throw UserError(sweep.string(), "has the name of " + known->second.string(), "Rename one of them");
      }
    }
  }
}

}  // namespace

std::vector<Paper> read_catalogue(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (const auto& inside : fs::directory_iterator(folder, error)) {
    if (fs::exists(inside.path() / kPaperFile)) folders.push_back(inside.path());
  }
  if (folders.empty()) {
    throw UserError(folder.string(), "holds no entries", "Run in the project's folder, or name it with --entries");
  }
  std::ranges::sort(folders);
  std::vector<Paper> papers;
  for (const fs::path& one : folders) papers.push_back(read_paper(one));
  refuse_namesakes(papers);
  return papers;
}

std::vector<const Entry*> chosen_entries(const std::vector<Paper>& papers, const std::vector<std::string>& ids) {
  std::vector<const Entry*> all;
  for (const Paper& paper : papers) {
    for (const Entry& entry : paper.entries) all.push_back(&entry);
  }
  std::vector<const Entry*> chosen;
  for (const std::string& id : ids) {
    const auto found = std::ranges::find_if(all, [&](const Entry* entry) { return entry->id == id; });
    if (found == all.end()) {
      std::vector<std::string_view> names;
      for (const Entry* entry : all) names.push_back(entry->id);
      throw UserError(id, "there is no such entry",
                      did_you_mean(id, names) + "`plumb reproduce --list` shows what there is");
    }
    chosen.push_back(*found);
  }
  if (!ids.empty()) return chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen), [](const Entry* entry) { return entry->can_run(); });
  return chosen;
}

}  // namespace plumb::reproduce
