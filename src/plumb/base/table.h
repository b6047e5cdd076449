#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// How many columns of a terminal a text fills, counted in code points of UTF-8: right for Latin, Greek and Cyrillic
/// letters, an estimate for wide (Chinese) and combining ones.
size_t display_width(std::string_view text);

/// Rows of text in aligned columns, for lists and reports on the terminal. The last column may hold sentences: it is
/// wrapped at spaces so that no line is wider than asked, and continues under itself.
///
///     name     paper         equation
///     post_ln  Vaswani 2017  LN(x + F(x))
class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string header;
    Align align = Align::Left;
  };

  explicit Table(std::vector<Column> columns);

  /// Must have as many cells as there are columns.
  void add_row(std::vector<std::string> cells);

  /// Ends with a line break. `width` 0 never wraps; a last column that would become narrower than 20 is not wrapped
  /// below that, since one word per line helps nobody.
  std::string to_string(size_t width = 0) const;

 private:
  std::vector<size_t> column_widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace plumb
