#include "plumb/config/sources.h"

namespace plumb {

void Sources::record(const Setting& setting) {
  set_.insert_or_assign(setting.key, Mark{setting.source, settings_++});
}

bool Sources::has_section(std::string_view section) const {
  const std::string prefix = std::string(section) + '.';
  const auto first = set_.lower_bound(prefix);
  return first != set_.end() && first->first.starts_with(prefix);
}

std::string Sources::where(std::string_view key) const {
  const auto found = set_.find(key);
  if (found == set_.end()) return std::string(key);
  return found->second.source + " " + std::string(key);
}

std::string_view Sources::latest(std::initializer_list<std::string_view> keys) const {
  std::string_view last = *keys.begin();
  int order = -1;
  for (const std::string_view key : keys) {
    const auto found = set_.find(key);
    if (found == set_.end() || found->second.order < order) continue;
    last = key;
    order = found->second.order;
  }
  return last;
}

}  // namespace plumb
