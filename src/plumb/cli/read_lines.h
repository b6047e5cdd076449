#pragma once

#include <string>
#include <vector>

namespace plumb {

/// All lines of a text file, plain or gzip, or of stdin for an empty path. Where LineReader leaves out a byte order
/// mark or Windows line ends, stderr says so; a file without lines is a UserError, as are bytes that are not text.
std::vector<std::string> read_lines(const std::string& path);

}  // namespace plumb
