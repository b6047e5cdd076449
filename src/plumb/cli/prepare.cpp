// plumb prepare CONFIG [--set key=value]...

#include "plumb/prepare/prepare.h"

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/config/load.h"
#include "plumb/config/presets.h"
#include "plumb/data/token_file.h"

namespace plumb {
namespace {

// A validation example that the model cannot read: found here, and not at the first validation. In training such pairs
// are left out, as those above data.max_length are.
void check_fits(const PreparedSplit& split, int64_t positions) {
  if (split.source.tokens.empty() || split.target.tokens.empty()) return;
  const TokenFile source(split.source.tokens), target(split.target.tokens);
  for (int64_t i = 0; i < source.sentences(); ++i) {
    const int64_t sources = std::ssize(source[i]) + 1, targets = std::ssize(target[i]) + 1;  // </s>
    const int64_t longest = std::max(sources, targets);
    if (longest <= positions) continue;
    throw UserError(fmt::format("{}:{}", sources == longest ? split.source.text : split.target.text, i + 1),
                    fmt::format("{} tokens are more than model.max_positions = {}", longest, positions),
                    "Shorten the line, or set model.max_positions higher");
  }
}

}  // namespace

int prepare_command(int argc, char** argv) {
  std::string file, vocabulary;
  std::vector<std::string> overrides;
  CLI::App app;
  app.add_option("config", file, "a .toml file; `plumb list config` shows its keys")->required();
  app.add_option("--set", overrides, "key=value, after the file; may be repeated")->allow_extra_args(false);
  app.add_option("--vocabulary", vocabulary, "use the vocabulary of this run instead of making one");
  if (!parse_arguments(app, argc, argv)) return 0;
  const Config config = load_config(file, overrides);
  const Prepared prepared = prepare(config, vocabulary);
  const bool pairs =
      task_row(task_of(config)).shape == TaskRow::Shape::Pairs;  // text is cut to fit, audio is checked by its reader
  if (pairs) check_fits(prepared.valid, config.model.max_positions);
  print(to_json(prepared));
  return 0;
}

}  // namespace plumb
