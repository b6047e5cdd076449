#include "plumb/base/table.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace plumb {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowestLast = 20;

// Greedy, at spaces; line breaks of the text stay. A word longer than the line stands alone and sticks out: cutting
// it would damage paths and equations that people copy.
std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines(1);
  size_t used = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const size_t word_width = display_width(word);
    if (!word.empty()) {
      if (used > 0 && width > 0 && used + 1 + word_width > width) {
        lines.emplace_back();
        used = 0;
      }
      if (used > 0) {
        lines.back() += ' ';
        ++used;
      }
      lines.back() += word;
      used += word_width;
    }
    if (end < text.size() && text[end] == '\n') {
      lines.emplace_back();
      used = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string padded(const std::string& text, size_t width, Table::Align align) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return align == Table::Align::Left ? text + blanks : blanks + text;
}

// Blanks at the end of a line make noise in diffs of generated documents.
void end_line(std::string& out) {
  out.erase(out.find_last_not_of(' ') + 1).push_back('\n');
}

}  // namespace

size_t display_width(std::string_view text) {
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::ranges::count_if(text, starts_character));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  if (columns_.empty()) throw std::logic_error("Table: no columns");
}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error(fmt::format("Table: {} cells in a row of {} columns", cells.size(), columns_.size()));
  }
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::column_widths() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = display_width(columns_[c].header);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

std::string Table::to_string(size_t width) const {
  const std::vector<size_t> widths = column_widths();
  const size_t last = columns_.size() - 1;
  size_t indent = 0;
  for (size_t c = 0; c < last; ++c) indent += widths[c] + kGap;
  const size_t room = width == 0 ? 0 : std::max(kNarrowestLast, width - std::min(width, indent));

  std::string out;
  const auto print = [&](const std::vector<std::string>& cells) {
    for (size_t c = 0; c < last; ++c) out += padded(cells[c], widths[c], columns_[c].align) + std::string(kGap, ' ');
    const std::vector<std::string> lines = wrap(cells[last], room);
    const size_t last_width = room == 0 ? widths[last] : std::min(room, widths[last]);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out += std::string(indent, ' ');
      out += padded(lines[i], last_width, columns_[last].align);
      end_line(out);
    }
  };
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  print(headers);
  std::ranges::for_each(rows_, print);
  return out;
}

}  // namespace plumb
