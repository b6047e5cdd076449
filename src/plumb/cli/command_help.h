#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

/// What commands take, as data: for `plumb help --man` and `plumb help --completion`. The parser of each command is the
/// only place that knows it.
namespace plumb {

struct CommandHelp {
  struct Option {
    std::vector<std::string> names;  // "--set", "-o"; of an argument without dashes its name
    std::string value;               // "TEXT"; empty: a flag
    std::string help;
    bool positional = false;
  };
  std::string name, summary;  // "train"; of a part of a command "text encode"
  std::vector<Option> options;
};

/// Runs a command up to where it parses its arguments, and says what it would have parsed. `words` is its name, and
/// the name of a part if it has parts.
CommandHelp help_of(int (*run)(int argc, char** argv), std::vector<std::string> words);

/// For parse_arguments(): whether help_of() is asking. If so, the answer is noted.
bool note_command_help(const CLI::App& app, const char* name);

/// The words of {train,encode} at the start of a usage; none if it starts with something else.
std::vector<std::string_view> usage_words(std::string_view usage);

void to_json(nlohmann::json& json, const CommandHelp& help);
void from_json(const nlohmann::json& json, CommandHelp& help);

}  // namespace plumb
