#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "plumb/config/setting.h"
#include "plumb/sweep/sweep.h"

namespace plumb::sweep {

/// A sweep file; docs/sweep.md says what may stand in it. Every mistake is a UserError that names the file, line and
/// key. The `overrides` (--set) come after its [set]. What comes out has passed check_sweep().
Sweep read_sweep(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// The same from values that were read already (read_toml_leaves), with keys as in a sweep file: for files that hold a
/// sweep among other things. `config` is relative to the folder of `file`. Not checked.
Sweep sweep_of(std::span<const Setting> leaves, const std::filesystem::path& file);

/// As a file that reads back equal, with the config's absolute path.
std::string to_toml(const Sweep& sweep);

}  // namespace plumb::sweep
