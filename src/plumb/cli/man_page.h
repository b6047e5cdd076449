#pragma once

#include <span>
#include <string>

#include "plumb/cli/command_help.h"

namespace plumb {

/// plumb.1 in roff: every command with its arguments, and the tables that their values come from.
std::string man_page(std::span<const CommandHelp> commands);

}  // namespace plumb
