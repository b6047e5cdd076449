#pragma once

#include <filesystem>
#include <string_view>

namespace plumb {

/// Files of a cache that are made once and used many times. Beside each is its checksum (FILE.sha256, in the format of
/// sha256sum), written last: a file that is cut, changed, or was left by a kill is not intact, and is made again.
void write_checked(const std::filesystem::path& file, std::string_view text);

/// The checksum of a file that is already there and whole.
void add_checksum(const std::filesystem::path& file);

/// Whether the file is there and is as it was made.
bool is_intact(const std::filesystem::path& file);

}  // namespace plumb
