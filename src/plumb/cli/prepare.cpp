// plumb prepare CONFIG [--set key=value]...

#include "plumb/text/spm/prepare.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/config/load.h"

namespace plumb {

int prepare_command(int argc, char** argv) {
  std::string file;
  std::vector<std::string> overrides;
  CLI::App app;
  app.add_option("config", file, "a .toml file; `plumb list config` shows its keys")->required();
  app.add_option("--set", overrides, "key=value, after the file; may be repeated")->allow_extra_args(false);
  if (!parse_arguments(app, argc, argv)) return 0;
  const Config config = load_config(file, overrides);
  print(to_json(prepare(config.data, static_cast<uint64_t>(config.seed))));
  return 0;
}

}  // namespace plumb
