#pragma once

#include <string>

#include "plumb/config/config.h"
#include "plumb/config/sources.h"

namespace plumb {

/// Reads back what to_toml() wrote, without a file. A key that the text does not have, being older, gets its default;
/// nothing is checked, since a run was made with it. `where` is blamed, in a UserError, for a key that does not exist
/// any more. `sources`, if given, learns which keys the text has.
Config from_toml(const std::string& text, const std::string& where, Sources* sources = nullptr);

}  // namespace plumb
