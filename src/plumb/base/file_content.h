#pragma once

#include <filesystem>
#include <string>

namespace plumb {

/// All bytes of a file; none if it is not there or cannot be read. For files that may be missing: open_to_read() is for
/// those that may not.
std::string file_content(const std::filesystem::path& file);

}  // namespace plumb
