#include "plumb/config/markdown.h"

namespace plumb {

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell) {
      if (c == '|') line += '\\';
      line += c;
    }
    line += " |";
  }
  return line + "\n";
}

std::string markdown_header(const std::vector<std::string>& names) {
  std::string lines = markdown_row(names) + "|";
  for (size_t i = 0; i < names.size(); ++i) lines += "---|";
  return lines + "\n";
}

std::string markdown_code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string markdown_prose(std::string_view text) {
  std::string result;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (!code && (c == '*' || c == '_' || c == '<')) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace plumb
