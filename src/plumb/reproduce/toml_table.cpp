#include "plumb/reproduce/toml_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plumb/base/error.h"
#include "plumb/config/suggestion.h"
#include "plumb/config/toml_reader.h"

namespace plumb::reproduce {

TomlTable::TomlTable(const std::filesystem::path& file)
    : leaves_(std::make_shared<const std::vector<Setting>>(read_toml_leaves(file))), file_(file.string()) {}

const Setting* TomlTable::find(std::string_view key) const {
  const auto found = std::ranges::find(*leaves_, prefix_ + std::string(key), &Setting::key);
  return found == leaves_->end() ? nullptr : &*found;
}

std::string TomlTable::where(std::string_view key) const {
  const Setting* leaf = find(key);
  return leaf ? leaf->where() : fmt::format("{} {}{}", file_, prefix_, key);
}

void TomlTable::allow_only(std::initializer_list<std::string_view> keys) const {
  const std::vector<std::string_view> names(keys);
  for (const Setting& leaf : *leaves_) {
    if (!leaf.key.starts_with(prefix_)) continue;
    const std::string_view rest = std::string_view(leaf.key).substr(prefix_.size());
    const std::string_view key = rest.substr(0, rest.find_first_of(".["));
    if (std::ranges::find(names, key) != names.end()) continue;
    throw UserError(leaf.where(), "there is no such key",
                    did_you_mean(key, names) + fmt::format("There are {}", fmt::join(names, ", ")));
  }
}

std::string TomlTable::text(std::string_view key) const {
  const Setting* leaf = find(key);
  if (!leaf) return "";
  if (const auto* value = std::get_if<std::string>(&leaf->value.is)) return *value;
  throw UserError(leaf->where(), "wants text", "Put it in \"quotes\"");
}

std::string TomlTable::required_text(std::string_view key) const {
  std::string found = text(key);
  if (found.empty()) throw UserError(where(key), "is missing", fmt::format("Write {} = \"...\"", key));
  return found;
}

double TomlTable::number(std::string_view key, double otherwise) const {
  const Setting* leaf = find(key);
  if (!leaf) return otherwise;
  if (const auto* integer = std::get_if<int64_t>(&leaf->value.is)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&leaf->value.is)) return *real;
  throw UserError(leaf->where(), "wants a number", fmt::format("Write {} = 3", key));
}

std::vector<std::string> TomlTable::texts(std::string_view key) const {
  const Setting* leaf = find(key);
  if (!leaf) return {};
  const auto refuse = [&] {
    throw UserError(leaf->where(), "wants a list of texts", fmt::format("Write {} = [\"a\", \"b\"]", key));
  };
  const auto* list = std::get_if<Value::List>(&leaf->value.is);
  if (!list) refuse();
  std::vector<std::string> found;
  for (const Value& one : *list) {
    const auto* value = std::get_if<std::string>(&one.is);
    if (!value) refuse();
    found.push_back(*value);
  }
  return found;
}

TomlTable TomlTable::table(std::string_view key) const {
  if (const Setting* leaf = find(key)) throw UserError(leaf->where(), "wants a table", fmt::format("Write [{}]", key));
  return {leaves_, file_, fmt::format("{}{}.", prefix_, key)};
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) const {
  if (const Setting* leaf = find(key)) {
    throw UserError(leaf->where(), "wants a list of tables", fmt::format("Write [[{}]]", key));
  }
  std::vector<TomlTable> found;
  for (;;) {
    const std::string one = fmt::format("{}{}[{}]", prefix_, key, found.size());  // itself, if it is empty
    const auto is_of_it = [&](const Setting& leaf) { return leaf.key == one || leaf.key.starts_with(one + "."); };
    if (std::ranges::none_of(*leaves_, is_of_it)) return found;
    found.push_back(TomlTable(leaves_, file_, one + "."));
  }
}

}  // namespace plumb::reproduce
