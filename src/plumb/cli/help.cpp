// plumb help [COMMAND]: the overview, `plumb COMMAND --help`, the man page or the completion of bash.

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/commands.h"
#include "plumb/cli/command_help.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/completion.h"
#include "plumb/cli/front.h"
#include "plumb/cli/man_page.h"
#include "plumb/process/front_process.h"
#include "plumb/process/spawn.h"

namespace plumb {
namespace {

std::string overview() {
  std::string text =
      "Plumb: Transformers that differ only in where the normalisation sits and how the residual is wired.\n\n"
      "Usage: plumb COMMAND [ARGUMENTS]\n\n";
  Table table({{"command"}, {"what it does"}});
  for (const Command& row : commands()) table.add_row({std::string(row.name), std::string(row.summary)});
  text += table.to_string(kLineWidth);
  text +=
      "\nplumb help COMMAND    arguments of a command (or plumb COMMAND --help)\nplumb --version       version and "
      "commit\n";
  text += fmt::format("\nExample:\n  {}\n", commands().front().example);
  return text;
}

void add_front_command(std::vector<CommandHelp>& all, const Command& row) {
  const auto command = std::ranges::find(front_commands(), row.name, &FrontCommand::name);
  all.push_back(help_of(command->run, {std::string(row.name)}));
  if (!row.usage.ends_with("...")) return;  // {train,encode} ...: parts with arguments of their own
  for (const std::string_view part : usage_words(row.usage)) {
    all.push_back(help_of(command->run, {std::string(row.name), std::string(part)}));
  }
}

/// What every command takes, in the order of the table. Starts the engine once, for its own.
std::vector<CommandHelp> every_command_help() {
  const std::vector<CommandHelp> engine =
      nlohmann::json::parse(run_front({"--describe"}, program_beside("plumb-engine")));
  std::vector<CommandHelp> all;
  for (const Command& row : commands()) {
    if (row.program == Command::Program::Front) {
      add_front_command(all, row);
    } else {
      all.push_back(*std::ranges::find(engine, row.name, &CommandHelp::name));
    }
  }
  return all;
}

int help_of_command(std::vector<std::string> words) {
  words.insert(words.begin(), "plumb");
  words.emplace_back("--help");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return front(static_cast<int>(words.size()), arguments.data());
}

}  // namespace

int help_command(int argc, char** argv) {
  std::vector<std::string> words;
  bool man = false, completion = false;
  CLI::App app;
  CLI::Option* command = app.add_option("COMMAND", words, "command, and part of it if it has parts")->expected(0, 2);
  CLI::Option* page = app.add_flag("--man", man, "print the man page, plumb.1")->excludes(command);
  app.add_flag("--completion", completion, "print the completion for bash")->excludes(command)->excludes(page);
  if (!parse_arguments(app, argc, argv)) return 0;
  if (man || completion) {
    print(man ? man_page(every_command_help()) : bash_completion(every_command_help()));
    return 0;
  }
  if (!words.empty()) return help_of_command(std::move(words));
  print(overview());
  return 0;
}

}  // namespace plumb
