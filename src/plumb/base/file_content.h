#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace plumb {

/// All bytes of a file; none if it is not there or cannot be read. For files that may be missing: open_to_read() is for
/// those that may not.
std::string file_content(const std::filesystem::path& file);

/// The same for a file that may be anything: nothing if it is not there, cannot be read, is not a regular file (a pipe
/// would be waited for, /dev/zero never ends) or is longer than `most` bytes.
std::optional<std::string> bounded_content(const std::filesystem::path& file, uint64_t most);

}  // namespace plumb
