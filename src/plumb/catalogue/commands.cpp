#include "plumb/catalogue/commands.h"

#include <algorithm>

namespace plumb {
namespace {

using enum Command::Program;

// clang-format off
constexpr Command kCommands[] = {
    {"list", Front, "{variants,inits,norms,commands,config} [NAME] [--json | --markdown]", "print a table: every variant, initialisation, norm, command or config key",
     "plumb list variants"},
    {"train", Engine, "CONFIG [--set key=value]... --dry-run", "show what a configuration comes to: effective keys, parameters by part",
     "plumb train configs/model/tiny.toml --set model.variant=b2t --dry-run"},
    {"inspect", Front, "FILE [--json]", "list the tensors of a .safetensors file",
     "plumb inspect model.safetensors"},
    {"demo", Engine, "[--set key=value]...", "build a small deep model of every variant and show how it starts",
     "plumb demo"},
};
// clang-format on

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto row = std::ranges::find(kCommands, name, &Command::name);
  return row == std::end(kCommands) ? nullptr : row;
}

}  // namespace plumb
