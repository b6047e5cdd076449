#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// NIST's mteval-v13a tokenisation of a line, the default of sacreBLEU and the one WMT's scores are given in: entities
/// are unescaped, ASCII symbols stand alone, full stops and commas too unless digits surround them, and so does a
/// hyphen after a digit. The tokens are joined by single spaces.
std::string tokenize_13a(std::string_view line);

}  // namespace plumb
