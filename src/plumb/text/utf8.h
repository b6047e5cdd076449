#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// What stands for bytes that are not text: U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Where the first byte stands that is not UTF-8 as Unicode defines it (no surrogates, no overlong forms, nothing
/// above U+10FFFF); npos if there is none.
size_t find_invalid_utf8(std::string_view text);

/// The text with each invalid sequence as one U+FFFD. A sequence is cut where Unicode recommends ("maximal subpart"),
/// so that the count of replacements is the one of Python, browsers and iconv.
std::string replace_invalid_utf8(std::string_view text);

/// The length in bytes of the code point that begins at `at`; 1 for a byte that begins none.
size_t code_point_length(std::string_view text, size_t at);

/// The text as code points, U+FFFD for what is invalid.
std::vector<char32_t> code_points(std::string_view text);

}  // namespace plumb
