// plumb-engine: the program behind the commands that need LibTorch. Users type `plumb`, which becomes this one.

#include "plumb/cli/engine.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include "plumb/base/cores.h"
#include "plumb/base/error.h"
#include "plumb/cli/command_help.h"
#include "plumb/cli/command_line.h"
#include "plumb/memory/caching_allocator.h"
#include "plumb/memory/fits.h"

namespace plumb {
namespace {

struct EngineCommand {
  std::string_view name;
  int (*run)(int argc, char** argv);
};
constexpr EngineCommand kEngineCommands[] = {{"train", train_command},
                                             {"generate", generate_command},
                                             {"evaluate", evaluate_command},
                                             {"probe", probe_command},
                                             {"demo", demo_command}};

// For the front's man page and completion: one start of this program tells about all of its commands.
int describe() {
  auto all = nlohmann::json::array();
  for (const EngineCommand& command : kEngineCommands) all.push_back(help_of(command.run, {std::string(command.name)}));
  print(all.dump() + "\n");
  return 0;
}

int engine(int argc, char** argv) {
  memory::install_caching_allocator();
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--describe") return describe();
  for (const EngineCommand& command : kEngineCommands) {
    if (command.name == name) return command.run(argc - 1, argv + 1);
  }
  throw UserError("plumb-engine", "it has no command '" + std::string(name) + "'", "Call plumb, which knows them all");
}

}  // namespace

void set_threads(int wanted) {
  const char* asked = std::getenv("OMP_NUM_THREADS");
  const int from_environment = asked ? std::atoi(asked) : 0;
  const int threads = wanted > 0 ? wanted : from_environment > 0 ? from_environment : usable_cores();
  memory::claim_blas_memory(threads);
  at::set_num_threads(threads);
}

}  // namespace plumb

int main(int argc, char** argv) {
  plumb::prepare_process();
  return plumb::run_command([&] { return plumb::engine(argc, argv); });
}
