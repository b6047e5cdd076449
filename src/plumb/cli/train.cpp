// plumb train CONFIG [--set key=value]... --dry-run

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/base/table.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"
#include "plumb/nn/parts.h"
#include "plumb/nn/transformer.h"
#include "plumb/store/weights_file.h"

namespace plumb {
namespace {

// "12,345,678"
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

std::string parts_table(const std::vector<Part>& parts, int64_t total) {
  Table table({{"part"}, {"parameters", Table::Align::Right}, {"share", Table::Align::Right}});
  const auto row = [&](const std::string& name, int64_t count) {
    const double share = 100.0 * static_cast<double>(count) / static_cast<double>(total);
    table.add_row({name, grouped(count), fmt::format("{:.1f} %", share)});
  };
  for (const Part& part : parts) row(part.name, part.parameters);
  row("total", total);
  return table.to_string();
}

// What stands behind '#' keeps the whole output a config file: `--dry-run > effective.toml` can be trained.
std::string commented(const std::string& text) {
  std::string result = "# ";
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += "# ";
  }
  return result;
}

void dry_run(const Config& config, bool json) {
  Transformer model(config.model);
  if (!config.train.restore_file.empty()) check_weights(model.parameters(), config.train.restore_file);
  const std::vector<Part> parts = parameters_by_part(model.parameters());
  const int64_t total = model.parameters().parameter_count();
  if (!json) {
    print(to_toml(config) + '\n' + commented(parts_table(parts, total)));
    return;
  }
  nlohmann::ordered_json by_part;
  for (const Part& part : parts) by_part[part.name] = part.parameters;
  const nlohmann::ordered_json all = {{"config", to_toml(config)}, {"parameters", total}, {"parts", by_part}};
  print(all.dump(2) + '\n');
}

}  // namespace

int train_command(int argc, char** argv) {
  std::string file;
  std::vector<std::string> overrides;
  bool dry = false, json = false;
  CLI::App app;
  app.add_option("config", file, "a .toml file; `plumb list config` shows its keys")->required();
  app.add_option("--set", overrides, "key=value, after the file; may be repeated")->allow_extra_args(false);
  app.add_flag("--dry-run", dry, "print the effective config and the parameters by part, and stop");
  app.add_flag("--json", json, "the same for programs");
  if (!parse_arguments(app, argc, argv)) return 0;
  const Config config = load_config(file, overrides);
  if (!dry) {
    throw UserError("plumb train", "this version builds and checks models, but does not train them yet",
                    "Add --dry-run to see what the configuration comes to");
  }
  set_threads(config.threads);
  dry_run(config, json);
  return 0;
}

}  // namespace plumb
