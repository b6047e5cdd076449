#include "plumb/config/load.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/config/assign.h"
#include "plumb/config/check.h"
#include "plumb/config/presets.h"
#include "plumb/config/toml_reader.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFiles = 200;

class Loader {
 public:
  void file(const fs::path& path, const std::string& asked_by) {
    std::error_code nameless;  // /dev/fd/63, which `<(command)` of a shell gives, leads nowhere that has a name
    fs::path identity = fs::weakly_canonical(path, nameless);
    if (nameless) identity = path;
    if (std::ranges::find(open_, identity) != open_.end()) {
      throw UserError(asked_by, fmt::format("{} includes itself, directly or through others", path.string()),
                      "Remove one of the includes");
    }
    // Includes that include each other's includes double with every file: a handful of them would take for ever.
    if (++files_ > kMostFiles) {
      throw UserError(asked_by, fmt::format("more than {} files are included in all", kMostFiles),
                      "Remove includes; a file that several others include counts each time");
    }
    open_.push_back(identity);
    const TomlFile file = read_toml(path, asked_by);
    for (const TomlFile::Include& include : file.includes) this->file(include.path, include.where);
    for (const Setting& setting : file.settings) set(setting);
    open_.pop_back();
  }

  void overrides(std::span<const std::string> texts) {
    for (const std::string& text : texts) set(parse_override(text));
  }

  Config finish(Sources* sources) {
    apply_pretrained(config_, sources_);
    apply_task(config_, sources_);
    check(config_, sources_);
    if (sources) *sources = sources_;
    return config_;
  }

 private:
  void set(const Setting& setting) {
    assign(config_, setting);
    sources_.record(setting);
  }

  Config config_;
  Sources sources_;
  int files_ = 0;
  std::vector<fs::path> open_;  // the files that are being read, outermost first
};

}  // namespace

Config load_config(const fs::path& file, std::span<const std::string> overrides, Sources* sources) {
  Loader loader;
  loader.file(file, "");
  loader.overrides(overrides);
  return loader.finish(sources);
}

Config load_overrides(std::span<const std::string> overrides, Sources* sources) {
  Loader loader;
  loader.overrides(overrides);
  return loader.finish(sources);
}

}  // namespace plumb
