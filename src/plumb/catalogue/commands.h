#pragma once

#include <span>
#include <string_view>

namespace plumb {

/// One command of `plumb`. The front answers its own commands and hands the others to plumb-engine.
struct Command {
  enum class Program { Front, Engine };
  std::string_view name;
  Program program;
  std::string_view usage;    // what follows the name
  std::string_view summary;  // one line
  std::string_view example;
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

}  // namespace plumb
