// plumb: the program that users type. It answers what needs no LibTorch and becomes plumb-engine for the rest.

#include "plumb/cli/front.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/commands.h"
#include "plumb/cli/command_line.h"
#include "plumb/config/suggestion.h"
#include "plumb/process/engine_process.h"

namespace plumb {
namespace {

struct FrontCommand {
  std::string_view name;
  int (*run)(int argc, char** argv);
};
constexpr FrontCommand kFrontCommands[] = {{"list", list_command},       {"inspect", inspect_command},
                                           {"score", score_command},     {"text", text_command},
                                           {"prepare", prepare_command}, {"report", report_command},
                                           {"watch", watch_command},     {"finetune", finetune_command},
                                           {"sweep", sweep_command},     {"reproduce", reproduce_command}};

std::string overview() {
  std::string text =
      "Plumb: Transformers that differ only in where the normalisation sits and how the residual is wired.\n\n"
      "Usage: plumb COMMAND [ARGUMENTS]\n\n";
  Table table({{"command"}, {"what it does"}});
  for (const Command& row : commands()) table.add_row({std::string(row.name), std::string(row.summary)});
  text += table.to_string(kLineWidth);
  text += "\nplumb COMMAND --help    the arguments of a command\nplumb --version         the version\n";
  text += fmt::format("\nExample:\n  {}\n", commands().front().example);
  return text;
}

[[noreturn]] void unknown_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& row : commands()) names.push_back(row.name);
  throw UserError(std::string(name), name.starts_with('-') ? "there is no such option" : "there is no such command",
                  did_you_mean(name, names) + "`plumb --help` shows what there is");
}

int front(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "--help";
  if (name == "--help" || name == "-h" || name == "help") {
    print(overview());
    return 0;
  }
  if (name == "--version" || name == "-V") {
    print("plumb " PLUMB_VERSION "\n");
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

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  return plumb::run_command([&] { return plumb::front(argc, argv); });
}
