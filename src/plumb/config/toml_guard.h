#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb {

/// A text that toml++ must not see, and the line in it, from 1.
struct TomlProblem {
  uint32_t line;
  std::string problem, remedy;
};

/// toml++ 3.3 relies on what it has not checked: on an ASCII character outside quotes, on a key behind `[`, and on a
/// stack that is deep enough for every dot of a key. Without assertions that is undefined behaviour, with them the end
/// of the process.
std::optional<TomlProblem> beyond_toml_parser(std::string_view text);

}  // namespace plumb
