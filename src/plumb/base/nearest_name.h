#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plumb {

/// The fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (Damerau-Levenshtein,
/// in bytes), where upper and lower case count as equal.
size_t edit_distance(std::string_view a, std::string_view b);

/// The name the user probably meant, for "unknown key x, did you mean y"; the first of equals. Empty if nothing is
/// near: more than max(2, length / 3) edits, or so many that no letter of the two is shared.
std::string nearest(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace plumb
