#pragma once

#include <string>
#include <vector>

namespace plumb {

/// What to take out of a file of tab-separated columns, without a header and without quoting. Columns count from 1.
struct TableQuery {
  std::vector<int> columns;
  int split_column = 0;    // 0: every line belongs to the file's split
  std::string split = {};  // else only lines with this word there
};

struct TableRow {
  std::vector<std::string> cells;  // in the order of TableQuery::columns
  std::string where;               // "pairs.tsv:17"
};

/// Throws UserError, naming the line, where a column is missing or a cell is empty, and if no line is left.
std::vector<TableRow> read_table(const std::string& path, const TableQuery& query);

}  // namespace plumb
