#include "plumb/config/suggestion.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/nearest_name.h"
#include "plumb/config/fields.h"

namespace plumb {
namespace {

constexpr char kWhereKeysAre[] = "`plumb list config` shows every key";

std::string key_sentence(const std::string& key) {
  return fmt::format("Did you mean {}? {}", key, kWhereKeysAre);
}

// The keys whose last part is `name`: someone who writes `heads = 4` outside its section means model.heads.
std::string same_name_elsewhere(const std::string& name) {
  for (const FieldRow& row : field_rows()) {
    if (row.name == name) return row.key();
  }
  return "";
}

std::string near_name_elsewhere(const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const FieldRow& row : field_rows()) names.push_back(row.name);
  const std::string near = nearest(wanted, names);
  return near.empty() ? "" : same_name_elsewhere(near);
}

}  // namespace

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names, std::string_view prefix) {
  const std::string near = nearest(wanted, names);
  return near.empty() ? "" : fmt::format("Did you mean {}{}? ", prefix, near);
}

std::string unknown_key_remedy(const std::string& key) {
  const size_t dot = key.find('.');
  const std::string section = dot == std::string::npos ? "" : key.substr(0, dot);
  const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);

  if (const std::string elsewhere = same_name_elsewhere(name); !elsewhere.empty()) return key_sentence(elsewhere);
  // Then inside its own section: names alone, so that the section's letters do not make far names near.
  std::vector<std::string_view> own;
  for (const FieldRow& row : field_rows()) {
    if (row.section == section) own.push_back(row.name);
  }
  if (const std::string near = nearest(name, own); !near.empty()) {
    return key_sentence(section.empty() ? near : section + "." + near);
  }
  if (const std::string near = near_name_elsewhere(name); !near.empty()) return key_sentence(near);

  const std::vector<std::string_view> sections(section_names().begin(), section_names().end());
  if (std::ranges::find(sections, section) != sections.end()) {
    return fmt::format("The keys of [{}] are {}", section, fmt::join(own, ", "));
  }
  const std::string near_section = nearest(section.empty() ? name : section, sections);
  if (!near_section.empty()) return fmt::format("Did you mean the section [{}]? {}", near_section, kWhereKeysAre);
  std::vector<std::string_view> top;
  for (const FieldRow& row : field_rows()) {
    if (row.section.empty()) top.push_back(row.name);
  }
  return fmt::format("The sections are [{}], the keys above them {}, include", fmt::join(sections, "], ["),
                     fmt::join(top, ", "));
}

}  // namespace plumb
