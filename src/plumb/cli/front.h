#pragma once

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

}  // namespace plumb
