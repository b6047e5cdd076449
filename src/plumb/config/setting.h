#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace plumb {

/// What stands behind `key =`, before it meets the field that it is for.
struct Value {
  struct Unfit {
    std::string what;  // "a table", "a date": no field takes one
  };
  using List = std::vector<Value>;
  std::variant<bool, int64_t, double, std::string, List, Unfit> is;
};

/// One `key = value` of a file or of the command line, and where it stands.
struct Setting {
  std::string key;     // with its section: model.heads
  std::string source;  // "configs/x.toml:7" or "--set"
  Value value;
  bool is_table = false;  // `[model]` itself; its keys follow as settings of their own
  std::string written;    // --set only: the text before it was read as TOML, for fields that take any text

  std::string where() const { return source + " " + key; }
};

}  // namespace plumb
