#pragma once

#include <span>
#include <string>

#include "plumb/cli/command_help.h"

namespace plumb {

/// A script for bash that completes commands, options, names of the tables, and the keys and values of --set. It holds
/// every name itself, so that a completion starts no program.
std::string bash_completion(std::span<const CommandHelp> commands);

}  // namespace plumb
