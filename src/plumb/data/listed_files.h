#pragma once

#include <filesystem>
#include <string>

namespace plumb {

/// One SHA-256 of the contents of all files that a list names, a path per line, in its order: what tells a resumed run
/// that a recording was replaced under its old name. A file is read once; after that the cache remembers its checksum
/// for as long as size, times and inode stay. UserError if a file cannot be opened.
std::string digest_of_listed(const std::string& list, const std::filesystem::path& cache);

}  // namespace plumb
