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

/// `key=value` as given to --set. A value that is not TOML is taken as it is, so that words need no quotes.
Setting parse_override(const std::string& text);

}  // namespace plumb
