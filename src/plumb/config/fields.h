#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/config/config.h"

namespace plumb {

/// Calls `visit(key, field, help)` for every field of a whole config, with keys as a user writes them: `seed`,
/// `model.heads`. `C` is Config or const Config.
template <class C, class Visit>
void for_each_field(C& config, Visit&& visit) {
  Config::fields(config, [&](std::string_view name, auto& field, std::string_view help) {
    visit(std::string(name), field, help);
  });
  Config::sections(config, [&](std::string_view section, auto& part) {
    std::decay_t<decltype(part)>::fields(part, [&](std::string_view name, auto& field, std::string_view help) {
      visit(std::string(section) + "." + std::string(name), field, help);
    });
  });
}

/// One key of the config in words: for `plumb list config`, docs/config.md and the remedies of errors.
struct FieldRow {
  std::string section;  // empty for the keys above all sections
  std::string name;
  std::string type;           // what it takes: "integer", "relu, gelu"
  std::string default_value;  // as TOML
  std::string help;

  std::string key() const { return section.empty() ? name : section + "." + name; }
};

/// Every key, in the order of the file.
const std::vector<FieldRow>& field_rows();

/// The names of the sections, in the order of the file.
const std::vector<std::string>& section_names();

}  // namespace plumb
