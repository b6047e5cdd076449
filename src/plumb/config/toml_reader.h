#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plumb/config/setting.h"

namespace plumb {

/// A config file as it stands: nothing in it has been compared with the keys that exist.
struct TomlFile {
  struct Include {
    std::filesystem::path path;  // relative to the including file already
    std::string where;           // of the key, for errors
  };
  std::vector<Include> includes;
  std::vector<Setting> settings;  // in the order of their lines
};

/// `asked_by` is blamed when there is no such file: empty for the command line, else the `include` that named it.
TomlFile read_toml(const std::filesystem::path& file, const std::string& asked_by = "");

/// A file of another kind than a config, as a sweep is: every value with its whole path as key, in the order of the
/// lines. `[grid]` with `optim.lr = [1, 2]` gives grid.optim.lr, whether the key is quoted or not; the tables of
/// `[[arm]]` are numbered, arm[0].name. An empty table, or list of tables, gives nothing.
std::vector<Setting> read_toml_leaves(const std::filesystem::path& file);

/// `key=value` as given to --set. A value that is not TOML is taken as it is, so that words need no quotes.
Setting parse_override(const std::string& text);

}  // namespace plumb
