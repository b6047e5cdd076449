#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// One line of a Markdown table, with its line break. Bars inside a cell are escaped: they would start a new one.
std::string markdown_row(const std::vector<std::string>& cells);

/// The line of names and the line under it.
std::string markdown_header(const std::vector<std::string>& names);

/// Text as code: equations hold stars and underscores that Markdown would read as emphasis.
std::string markdown_code(std::string_view text);

/// Text as prose: what Markdown would read as emphasis or as a tag is escaped, except between `backticks`.
std::string markdown_prose(std::string_view text);

}  // namespace plumb
