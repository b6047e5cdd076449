#include "plumb/config/from_toml.h"

#include <algorithm>

#include "plumb/config/assign.h"
#include "plumb/config/toml_reader.h"

namespace plumb {

// to_toml() writes one key a line, so each line is an override of the defaults.
Config from_toml(const std::string& text, const std::string& where, Sources* sources) {
  Config config;
  std::string section;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with('[')) {
      section = line.substr(1, line.find(']') - 1) + ".";
    } else if (!line.empty()) {
      Setting setting = parse_override(section + line);
      setting.source = where;
      assign(config, setting);
      if (sources) sources->record(setting);
    }
  }
  return config;
}

}  // namespace plumb
