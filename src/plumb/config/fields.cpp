#include "plumb/config/fields.h"

#include <fmt/format.h>

#include "plumb/config/field_text.h"

namespace plumb {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  // TOML reads "1" as an integer; "nan", "inf" and "1e-05" already are floats.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

const std::vector<FieldRow>& field_rows() {
  static const std::vector<FieldRow> rows = [] {
    std::vector<FieldRow> all;
    const Config defaults;
    for_each_field(defaults, [&](const std::string& key, const auto& field, std::string_view help) {
      const size_t dot = key.find('.');
      all.push_back({.section = dot == std::string::npos ? "" : key.substr(0, dot),
                     .name = dot == std::string::npos ? key : key.substr(dot + 1),
                     .type = type_text<std::decay_t<decltype(field)>>(),
                     .default_value = toml_text(field),
                     .help = std::string(help)});
    });
    return all;
  }();
  return rows;
}

const std::vector<std::string>& section_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    Config config;
    Config::sections(config, [&](std::string_view name, auto&) { all.emplace_back(name); });
    return all;
  }();
  return names;
}

}  // namespace plumb
