#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The little of Unicode that metrics and tokenisers need. The published ones are Python programs, so white space is
/// what Python's str.split() splits at: no-break and ideographic spaces too.
namespace plumb {

/// The code points of UTF-8. A byte that belongs to none (a model may write such) becomes one of U+DC80..U+DCFF, which
/// valid text cannot hold: every text has code points, and different texts have different ones.
std::u32string decode_utf8(std::string_view text);

/// The way back, such bytes included.
std::string encode_utf8(std::u32string_view points);

bool is_space(char32_t point);

/// The pieces between white space, none of them empty; views into `text`.
std::vector<std::string_view> split_at_spaces(std::string_view text);

/// Without white space at either end.
std::string_view strip_spaces(std::string_view text);

/// As Python's str.lower(): a table of its own, because towlower would depend on the locales of the machine.
std::string lowercase(std::string_view text);

}  // namespace plumb
