#include "plumb/data/table.h"

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

std::vector<std::string> split_at_tabs(const std::string& line) {
  std::vector<std::string> cells;
  for (size_t begin = 0;;) {
    const size_t tab = line.find('\t', begin);
    cells.push_back(line.substr(begin, tab == std::string::npos ? tab : tab - begin));
    if (tab == std::string::npos) return cells;
    begin = tab + 1;
  }
}

const std::string& cell_at(const std::vector<std::string>& cells, int column, const std::string& where) {
  if (column > std::ssize(cells)) {
    throw UserError(where, fmt::format("has {} columns, but column {} is wanted", cells.size(), column),
                    "Separate columns by tabs, or name others in [data]");
  }
  return cells[static_cast<size_t>(column - 1)];
}

}  // namespace

std::vector<TableRow> read_table(const std::string& path, const TableQuery& query) {
  std::vector<TableRow> rows;
  LineReader reader(path);
  int64_t number = 0;
  for (std::string line; reader.next(line);) {
    TableRow row;
    row.where = fmt::format("{}:{}", path, ++number);
    const std::vector<std::string> cells = split_at_tabs(line);
    if (query.split_column > 0 && cell_at(cells, query.split_column, row.where) != query.split) continue;
    for (int column : query.columns) {
      row.cells.push_back(cell_at(cells, column, row.where));
      if (row.cells.back().find_first_not_of(' ') == std::string::npos) {
        throw UserError(row.where, fmt::format("column {} is empty", column), "Fill it in, or remove the line");
      }
    }
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) return rows;
  throw UserError(path,
                  query.split_column > 0 ? fmt::format("no line has '{}' in column {}", query.split, query.split_column)
                                         : std::string("has no lines"),
                  "Give one example per line");
}

}  // namespace plumb
