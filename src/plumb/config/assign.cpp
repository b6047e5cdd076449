#include "plumb/config/assign.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/config/field_text.h"
#include "plumb/config/fields.h"
#include "plumb/config/suggestion.h"

namespace plumb {
namespace {

std::string in_words(const Value& value) {
  struct Words {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return fmt::format("the integer {}", i); }
    std::string operator()(double d) const { return fmt::format("the number {}", float_text(d)); }
    std::string operator()(const std::string& s) const { return fmt::format("the text {}", quoted(s)); }
    std::string operator()(const Value::List&) const { return "an array"; }
    std::string operator()(const Value::Unfit& u) const { return u.what; }
  };
  return std::visit(Words{}, value.is);
}

[[noreturn]] void wrong_type(const Setting& setting, std::string_view wanted, const std::string& example) {
  throw UserError(setting.where(), fmt::format("wants {}, not {}", wanted, in_words(setting.value)),
                  fmt::format("For example {} = {}", setting.key.substr(setting.key.find('.') + 1), example));
}

// ---- one function per type; Auto<T> is peeled off before them ----

void read(bool& field, const Setting& setting) {
  const bool* value = std::get_if<bool>(&setting.value.is);
  if (!value) wrong_type(setting, "true or false", toml_text(field));
  field = *value;
}

void read(int64_t& field, const Setting& setting) {
  const int64_t* value = std::get_if<int64_t>(&setting.value.is);
  if (!value) wrong_type(setting, "an integer", toml_text(field));
  field = *value;
}

void read(int& field, const Setting& setting) {
  int64_t wide = field;
  read(wide, setting);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    throw UserError(setting.where(), fmt::format("{} does not fit 32 bits", wide),
                    fmt::format("Use a number up to {}", std::numeric_limits<int>::max()));
  }
  field = static_cast<int>(wide);
}

void read(double& field, const Setting& setting) {
  if (const int64_t* whole = std::get_if<int64_t>(&setting.value.is)) {
    field = static_cast<double>(*whole);
    return;
  }
  const double* value = std::get_if<double>(&setting.value.is);
  if (!value) wrong_type(setting, "a number", toml_text(field));
  field = *value;
}

void read(std::string& field, const Setting& setting) {
  if (const std::string* value = std::get_if<std::string>(&setting.value.is)) {
    field = *value;
  } else if (!setting.written.empty()) {
    field = setting.written;  // --set train.restore_file=7: any text is text there
  } else {
    wrong_type(setting, "text in quotes", toml_text(field));
  }
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(Enum& field, const Setting& setting) {
  const auto names = words<Enum>();
  const std::string* value = std::get_if<std::string>(&setting.value.is);
  if (!value) wrong_type(setting, fmt::format("one of {}", joined(names)), toml_text(field));
  const auto found = std::ranges::find(names, *value);
  if (found == names.end()) {
    throw UserError(setting.where(), fmt::format("there is no {}", quoted(*value)),
                    fmt::format("{}The words are {}", did_you_mean(*value, names), joined(names)));
  }
  field = static_cast<Enum>(found - names.begin());
}

template <class T>
void read(Auto<T>& field, const Setting& setting) {
  const std::string* value = std::get_if<std::string>(&setting.value.is);
  if (value && *value == "auto") {
    field.reset();
    return;
  }
  if (value && !std::is_enum_v<T>) wrong_type(setting, type_text<Auto<T>>(), "\"auto\"");
  T inner = field.value_or(T{});
  read(inner, setting);
  field = inner;
}

bool is_number(const Value& value, bool whole) {
  return std::holds_alternative<int64_t>(value.is) || (!whole && std::holds_alternative<double>(value.is));
}

template <class List>
requires(IsList<List>::value) void read(List& field, const Setting& setting) {
  using Item = typename List::value_type;
  static_assert(std::is_arithmetic_v<Item>, "no field is a list of anything but numbers");
  const auto wrong = [&](const std::string& what) {
    const std::string example = field.empty() ? toml_text(std::vector<Item>{1, 2}) : toml_text(field);
    throw UserError(setting.where(), fmt::format("wants a {}, not {}", type_text<List>(), what),
                    fmt::format("For example {} = {}", setting.key.substr(setting.key.find('.') + 1), example));
  };
  const Value::List* list = std::get_if<Value::List>(&setting.value.is);
  if (!list) wrong(in_words(setting.value));
  List items{};
  if constexpr (FixedList<List>) {
    if (list->size() != items.size()) wrong(fmt::format("one of {}", list->size()));
  } else {
    items.resize(list->size());
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const Value& value = (*list)[i];
    if (!is_number(value, std::is_integral_v<Item>)) wrong(fmt::format("one with {} in it", in_words(value)));
    read(items[i], Setting{.key = setting.key, .source = setting.source, .value = value, .written = ""});
  }
  field = std::move(items);
}

bool is_section(const std::string& key) {
  return std::ranges::find(section_names(), key) != section_names().end();
}

[[noreturn]] void unknown(const Setting& setting) {
  if (setting.key == "include") {
    throw UserError(setting.where(), "only a file can include files", "Put include = [\"...\"] into the config file");
  }
  const size_t dot = setting.key.find('.');
  const std::string section = setting.key.substr(0, dot);
  const bool no_such_section =
      setting.is_table ? dot == std::string::npos : dot != std::string::npos && !is_section(section);
  throw UserError(setting.where(), no_such_section ? "unknown section" : "unknown key",
                  unknown_key_remedy(setting.key));
}

}  // namespace

void assign(Config& config, const Setting& setting) {
  if (is_section(setting.key)) {
    const bool from_file = setting.source != "--set";
    if (setting.is_table && from_file) return;  // its keys follow
    const std::string example = from_file ? fmt::format("Write [{}] and its keys below", setting.key)
                                          : fmt::format("Set its keys one by one: --set {}.key=value", setting.key);
    throw UserError(setting.where(), "is a section, not a key", example);
  }
  bool found = false;
  for_each_field(config, [&](const std::string& key, auto& field, std::string_view) {
    if (key != setting.key) return;
    found = true;
    read(field, setting);
  });
  if (!found) unknown(setting);
}

}  // namespace plumb
