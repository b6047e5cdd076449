// The only file that sees toml++: its header takes seconds to compile.

#include "plumb/config/toml_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "plumb/base/error.h"
#include "plumb/base/nearest_name.h"
#include "plumb/base/unicode.h"
#include "plumb/config/toml_guard.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// Far beyond any config, so that a mistaken path (a checkpoint, /dev/zero) ends soon.
constexpr size_t kMostBytes = 1 << 18;
constexpr char kLineRemedy[] = "A line reads key = value, and words stand in \"quotes\"";

struct Line {
  Setting setting;
  uint32_t line;
};

std::string missing_remedy(const fs::path& file) {
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::vector<std::string> there;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) there.push_back(entry.path().filename().string());
  std::sort(there.begin(), there.end());  // directories have no order of their own, messages should
  const std::vector<std::string_view> names(there.begin(), there.end());
  const std::string near = nearest(file.filename().string(), names);
  if (near.empty()) return "Check the path; examples are in configs/";
  return fmt::format("Did you mean {}?", (file.parent_path() / near).string());
}

std::string read_text(const fs::path& file, const std::string& asked_by) {
  const std::string where = asked_by.empty() ? file.string() : asked_by;
  const std::string subject = asked_by.empty() ? "this" : file.string();
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    throw UserError(where, subject + " is a directory", "Name the .toml file inside it");
  }
  if (fs::is_other(fs::status(file, ignored))) {  // a pipe would wait for somebody to write into it
    throw UserError(where, subject + " is a device or a pipe", "Name a .toml file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR)
      throw UserError(where, "there is no " + file.string(), missing_remedy(file));
    throw UserError(where, fmt::format("cannot read {} ({})", subject, std::strerror(error)), "Check its permissions");
  }
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) throw UserError(where, "cannot read " + subject, "Check the file and its disk");
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMostBytes) {
    throw UserError(where, fmt::format("{} is larger than {} KiB, so it is not a config", subject, kMostBytes / 1024),
                    "Name a .toml file");
  }
  return text;
}

Value value_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::boolean:
      return {node.as_boolean()->get()};
    case toml::node_type::integer:
      return {node.as_integer()->get()};
    case toml::node_type::floating_point:
      return {node.as_floating_point()->get()};
    case toml::node_type::string:
      return {node.as_string()->get()};
    case toml::node_type::array: {
      Value::List list;
      for (const toml::node& item : *node.as_array()) list.push_back(value_of(item));
      return {std::move(list)};
    }
    case toml::node_type::table:
      return {Value::Unfit{"a table"}};
    default:
      return {Value::Unfit{"a date or time"}};
  }
}

// Sections are one level deep, so deeper tables stay whole: they can only be mistakes.
void flatten(const toml::table& table, const std::string& prefix, const std::string& file, std::vector<Line>& lines) {
  for (const auto& [key, node] : table) {
    const uint32_t line = key.source().begin.line;
    Setting setting{.key = prefix + std::string(key.str()),
                    .source = fmt::format("{}:{}", file, line),
                    .value = value_of(node),
                    .is_table = node.is_table(),
                    .written = ""};
    lines.push_back({setting, line});
    if (node.is_table() && prefix.empty()) flatten(*node.as_table(), setting.key + ".", file, lines);
  }
}

/// A value with its place in the file; inline tables put several on a line.
struct Leaf {
  Setting setting;
  toml::source_position at;
};

bool is_list_of_tables(const toml::node& node) {
  const toml::array* list = node.as_array();
  return list && !list->empty() && list->is_homogeneous(toml::node_type::table);
}

// An empty [[arm]] is an arm all the same.
Leaf empty_table(const std::string& key, toml::source_position at, const std::string& file) {
  return {{.key = key,
           .source = fmt::format("{}:{}", file, at.line),
           .value = {Value::Unfit{"an empty table"}},
           .is_table = true,
           .written = ""},
          at};
}

void leaves_of(const toml::table& table, const std::string& prefix, const std::string& file,
               std::vector<Leaf>& leaves) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (node.is_table()) {
      leaves_of(*node.as_table(), key + ".", file, leaves);
    } else if (is_list_of_tables(node)) {
      size_t index = 0;
      for (const toml::node& one : *node.as_array()) {
        const std::string name_of_one = fmt::format("{}[{}]", key, index++);
        leaves_of(*one.as_table(), name_of_one + ".", file, leaves);
        if (one.as_table()->empty()) leaves.push_back(empty_table(name_of_one, one.source().begin, file));
      }
    } else {
      const toml::source_position at = name.source().begin;
      leaves.push_back({{.key = key,
                         .source = fmt::format("{}:{}", file, at.line),
                         .value = value_of(node),
                         .is_table = false,
                         .written = ""},
                        at});
    }
  }
}

std::vector<TomlFile::Include> includes_of(toml::table& table, const fs::path& file) {
  std::vector<TomlFile::Include> includes;
  const toml::node* node = table.get("include");
  if (!node) return includes;
  const std::string where =
      fmt::format("{}:{} include", file.string(), table.find("include")->first.source().begin.line);
  const toml::array* paths = node->as_array();
  if (!paths || (!paths->empty() && !paths->is_homogeneous<std::string>())) {
    throw UserError(where, "wants a list of file names", "Write include = [\"base.toml\"]");
  }
  for (const toml::node& path : *paths) {
    const fs::path beside = file.parent_path() / path.as_string()->get();
    includes.push_back({beside.lexically_normal(), where});
  }
  table.erase("include");
  return includes;
}

// What goes to other processes and into files of ours goes there as JSON, which is UTF-8.
bool is_utf8(std::string_view text) {
  constexpr auto belongs_to_none = [](char32_t point) { return point >= 0xDC80 && point <= 0xDCFF; };
  return std::ranges::none_of(decode_utf8(text), belongs_to_none);
}

// toml++ ends some of its sentences itself; ours end with one full stop.
std::string without_stop(std::string_view text) {
  while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.remove_suffix(1);
  return std::string(text);
}

toml::table parsed(const fs::path& file, const std::string& asked_by) {
  const std::string text = read_text(file, asked_by);
  if (const std::optional<TomlProblem> found = beyond_toml_parser(text)) {
    throw UserError(fmt::format("{}:{}", file.string(), found->line), "not valid TOML: " + found->problem,
                    found->remedy);
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}", file.string(), error.source().begin.line),
                    "not valid TOML: " + without_stop(error.description()), kLineRemedy);
  }
}

}  // namespace

TomlFile read_toml(const fs::path& file, const std::string& asked_by) {
  toml::table table = parsed(file, asked_by);
  TomlFile result{.includes = includes_of(table, file), .settings = {}};
  std::vector<Line> lines;
  flatten(table, "", file.string(), lines);
  std::ranges::stable_sort(lines, {}, &Line::line);
  for (Line& line : lines) result.settings.push_back(std::move(line.setting));
  return result;
}

std::vector<Setting> read_toml_leaves(const fs::path& file) {
  std::vector<Leaf> leaves;
  leaves_of(parsed(file, ""), "", file.string(), leaves);
  std::ranges::stable_sort(leaves, [](const Leaf& a, const Leaf& b) {
    return a.at.line != b.at.line ? a.at.line < b.at.line : a.at.column < b.at.column;
  });
  std::vector<Setting> settings;
  for (Leaf& leaf : leaves) settings.push_back(std::move(leaf.setting));
  return settings;
}

Setting parse_override(const std::string& text) {
  if (!is_utf8(text)) throw UserError("--set " + text, "this is not UTF-8 text", "Write names and paths in UTF-8");
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UserError("--set " + text, "this is not key=value", "Write for example --set model.heads=4");
  }
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return std::string(part);
  };
  Setting setting{.key = trimmed(std::string_view(text).substr(0, equals)),
                  .source = "--set",
                  .value = {},
                  .is_table = false,
                  .written = trimmed(std::string_view(text).substr(equals + 1))};
  setting.value = {setting.written};
  const std::string line = "value = " + setting.written;
  if (beyond_toml_parser(line)) return setting;
  try {
    const toml::table table = toml::parse(line);
    // A line break inside the text would add keys of its own: then it is plain text.
    if (table.size() == 1) setting.value = value_of(*table.get("value"));
  } catch (const toml::parse_error&) {
    // Not TOML: the words themselves.
  }
  setting.is_table = std::holds_alternative<Value::Unfit>(setting.value.is) && setting.written.starts_with('{');
  return setting;
}

}  // namespace plumb
