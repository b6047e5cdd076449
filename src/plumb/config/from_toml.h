#pragma once

#include <string>

#include "plumb/config/config.h"

namespace plumb {

/// Reads back what to_toml() wrote, without a file. A key that the text does not have, being older, gets its default;
/// nothing is checked, since a run was made with it. `where` is blamed, in a UserError, for a key that does not exist
/// any more.
Config from_toml(const std::string& text, const std::string& where);

}  // namespace plumb
