#pragma once

#include <string>

#include "plumb/config/config.h"

namespace plumb {

/// The whole config as a file: every section and key, reading back equal. A run keeps this as its config.toml.
std::string to_toml(const Config& config);

/// docs/config.md: every key with what it takes, its default and its help.
std::string config_markdown();

}  // namespace plumb
