#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace plumb {

/// What a table on the screen is made to fit.
inline constexpr size_t kLineWidth = 120;

/// What both programs do before anything else: the three standard files are open, and a write that fails is an error
/// where it happens, not a signal.
void prepare_process();

/// Runs a command and turns whatever it throws into one line on stderr and an exit code: plumb::Error into its own, a
/// lack of memory into 4, anything else into 1. Both programs run every command through it.
int run_command(const std::function<int()>& command);

/// Writes data to stdout and sees that it arrives: a full disk is an error (exit 4). A reader who has gone away
/// (`| head -1`) is not: the command ends quietly, as SIGPIPE would end it.
void print(std::string_view text);

/// The command as a shell would take it again: `plumb train x.toml --set 'a=b c'`. `argv[0]` is the name.
std::string as_typed(int argc, char** argv);

/// Parses what follows the name of a command: `argv[0]` is the name, whose row gives description and example.
/// False if help was asked for and shown; throws UserError if the arguments are wrong.
bool parse_arguments(CLI::App& app, int argc, char** argv);

}  // namespace plumb
