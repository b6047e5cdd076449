#include "plumb/report/shown_folders.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"

namespace plumb::report {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;  // folders below one that was given: sweeps have arms, arms have seeds

constexpr const char* kFiles[] = {kLogFile, kConfigFile, kProbeFile, kSweepResultsFile};

bool has(const fs::path& folder, const char* file) {
  std::error_code ignored;
  return fs::is_regular_file(folder / file, ignored);
}

bool is_run(const fs::path& folder) {
  return has(folder, kLogFile) || has(folder, kConfigFile);
}

bool can_be_shown(const fs::path& folder) {
  return std::ranges::any_of(kFiles, [&](const char* file) { return has(folder, file); });
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->is_directory(ignored)) continue;
    // A link may lead anywhere, also to a folder above: it is followed to a run, and not to a search.
    if (!at->is_symlink(ignored) || can_be_shown(at->path())) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

/// Each folder once, however often it was named.
class Search {
 public:
  void look(const fs::path& folder, int depth) {
    const bool run = is_run(folder), probe = has(folder, kProbeFile), sweep = has(folder, kSweepResultsFile);
    if (run) add(found_.runs, folder);
    if (probe) add(found_.probes, folder);
    if (sweep) add(found_.sweeps, folder);
    if (run) look_for_probes_of(folder);
    // Below a run are its checkpoints; below a sweep are its runs.
    if ((run || probe) && !sweep) return;
    if (depth == kDeepest) return;
    for (const fs::path& below : folders_in(folder)) look(below, depth + 1);
  }
  size_t count() const { return found_.runs.size() + found_.probes.size() + found_.sweeps.size() + again_; }
  ShownFolders found() { return std::move(found_); }

 private:
  // `plumb reproduce` leaves what it measures of a run in the run.
  void look_for_probes_of(const fs::path& run) {
    for (const fs::path& below : folders_in(run / kProbesFolder)) {
      if (has(below, kProbeFile)) add(found_.probes, below);
    }
  }

  void add(std::vector<NamedFolder>& to, const fs::path& folder) {
    std::error_code ignored;
    if (seen_.insert({&to, fs::weakly_canonical(folder, ignored)}).second) {
      to.push_back({folder, ""});
    } else {
      ++again_;
    }
  }

  ShownFolders found_;
  std::set<std::pair<const void*, fs::path>> seen_;
  size_t again_ = 0;
};

/// The last `parts` parts of a path: "a/b" of "/x/a/b" for 2.
std::string ending(const fs::path& folder, size_t parts) {
  std::vector<fs::path> all;
  for (const fs::path& part : folder) {
    if (part.has_filename() && part != "/" && part != ".") all.push_back(part);
  }
  fs::path result;
  for (size_t i = all.size() - std::min(parts, all.size()); i < all.size(); ++i) result /= all[i];
  return result.string();
}

// As much of the end of each path as tells it from all others.
void name_apart(std::vector<NamedFolder>& folders) {
  std::vector<fs::path> whole;
  for (const NamedFolder& one : folders) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(one.folder, error);
    whole.push_back(error ? one.folder : canonical);
  }
  for (size_t parts = 1; parts <= 32; ++parts) {
    std::map<std::string, int> uses;
    for (const fs::path& path : whole) ++uses[ending(path, parts)];
    for (size_t i = 0; i < folders.size(); ++i) {
      const std::string name = ending(whole[i], parts);
      if (folders[i].name.empty() && (uses[name] == 1 || parts == 32)) folders[i].name = name;
    }
  }
}

// "post_ln/seed1" and "b2t/seed1" are post_ln and b2t.
void drop_common_end(std::vector<NamedFolder>& folders) {
  const auto last_part = [](const NamedFolder& one) { return fs::path(one.name).filename(); };
  const auto has_more = [](const NamedFolder& one) { return fs::path(one.name).has_parent_path(); };
  if (folders.size() < 2 || !std::ranges::all_of(folders, has_more)) return;
  const fs::path end = last_part(folders.front());
  if (!std::ranges::all_of(folders, [&](const NamedFolder& one) { return last_part(one) == end; })) return;
  for (NamedFolder& one : folders) one.name = fs::path(one.name).parent_path().string();
}

}  // namespace

ShownFolders find_shown_folders(const std::vector<std::string>& given) {
  Search search;
  for (const std::string& path : given) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      throw UserError(path, fs::exists(path, ignored) ? "is a file" : "there is no such folder",
                      "Name run directories of `plumb train` or folders of `plumb probe --out`");
    }
    const size_t before = search.count();
    search.look(path, 0);
    if (search.count() == before) {
      throw UserError(
          path, fmt::format("holds neither {} nor {}, {} or {}", kLogFile, kConfigFile, kProbeFile, kSweepResultsFile),
          "Name run directories of `plumb train` or folders of `plumb probe --out`");
    }
  }
  ShownFolders found = search.found();
  for (std::vector<NamedFolder>* folders : {&found.runs, &found.probes, &found.sweeps}) {
    name_apart(*folders);
    drop_common_end(*folders);
  }
  return found;
}

void refuse_to_overwrite(const ShownFolders& folders, const fs::path& out) {
  std::error_code none;
  if (fs::is_symlink(out, none)) throw UserError(out.string(), "is a link", "Name the file itself with -o");
  for (const std::vector<NamedFolder>* some : {&folders.runs, &folders.probes, &folders.sweeps}) {
    for (const NamedFolder& one : *some) {
      for (const char* file : kFiles) {
        std::error_code ignored;
        if (!fs::equivalent(one.folder / file, out, ignored)) continue;
        throw UserError(out.string(), "is what the page is made of", "Name another file with -o");
      }
    }
  }
}

}  // namespace plumb::report
