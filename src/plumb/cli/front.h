#pragma once

#include <span>
#include <string_view>

/// The commands that the front answers itself. `argv[0]` is the name of the command.
namespace plumb {

int list_command(int argc, char** argv);
int inspect_command(int argc, char** argv);
int score_command(int argc, char** argv);
int text_command(int argc, char** argv);
int prepare_command(int argc, char** argv);
int report_command(int argc, char** argv);
int watch_command(int argc, char** argv);
int finetune_command(int argc, char** argv);
int sweep_command(int argc, char** argv);
int reproduce_command(int argc, char** argv);
int help_command(int argc, char** argv);

struct FrontCommand {
  std::string_view name;
  int (*run)(int argc, char** argv);
};
std::span<const FrontCommand> front_commands();

/// The whole program: `argv[0]` is plumb, `argv[1]` the name of the command.
int front(int argc, char** argv);

}  // namespace plumb
