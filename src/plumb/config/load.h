#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "plumb/config/config.h"
#include "plumb/config/sources.h"

namespace plumb {

/// Reads a config: defaults, then the files that `include` names (in order, each with its own includes first), then
/// the file itself, then each `key=value` of `overrides`. Later beats earlier. What comes out has passed check().
///
/// Every mistake is a UserError that names the file, line and key. `sources`, if given, receives where each key was
/// set, for checks that come later.
Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides,
                   Sources* sources = nullptr);

/// The same without a file: defaults, then the overrides.
Config load_overrides(std::span<const std::string> overrides, Sources* sources = nullptr);

}  // namespace plumb
