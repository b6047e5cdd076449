// plumb: the program that users type. It answers what needs no LibTorch and becomes plumb-engine for the rest.

#include "plumb/cli/front.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/version.h"
#include "plumb/catalogue/commands.h"
#include "plumb/cli/command_line.h"
#include "plumb/config/suggestion.h"
#include "plumb/process/engine_process.h"

namespace plumb {
namespace {

constexpr FrontCommand kFrontCommands[] = {
    {"list", list_command},           {"inspect", inspect_command},   {"score", score_command},
    {"text", text_command},           {"prepare", prepare_command},   {"report", report_command},
    {"watch", watch_command},         {"finetune", finetune_command}, {"sweep", sweep_command},
    {"reproduce", reproduce_command}, {"help", help_command}};

[[noreturn]] void unknown_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& row : commands()) names.push_back(row.name);
  throw UserError(std::string(name), name.starts_with('-') ? "there is no such option" : "there is no such command",
                  did_you_mean(name, names) + "`plumb --help` shows what there is");
}

}  // namespace

std::span<const FrontCommand> front_commands() {
  return kFrontCommands;
}

int front(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "--help";
  if (name == "--help" || name == "-h") {
    std::string help = "help";
    char* arguments[] = {help.data(), nullptr};
    return help_command(1, arguments);
  }
  if (name == "--version" || name == "-V") {
    print(fmt::format("plumb {}\n", full_version()));
    return 0;
  }
  const Command* row = find_command(name);
  if (!row) unknown_command(name);
  if (row->program == Command::Program::Engine) become_engine({argv + 1, argv + argc});
  for (const FrontCommand& command : kFrontCommands) {
    if (command.name == name) return command.run(argc - 1, argv + 1);
  }
  throw std::logic_error(fmt::format("command {} has no function in front.cpp", name));
}

}  // namespace plumb

int main(int argc, char** argv) {
  plumb::prepare_process();
  return plumb::run_command([&] { return plumb::front(argc, argv); });
}
