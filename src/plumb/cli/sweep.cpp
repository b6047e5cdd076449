// plumb sweep SWEEP.toml [--out DIR] [--cores N] [--dry-run] [--json] [--set key=value]...

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/process/signals.h"
#include "plumb/sweep/read_sweep.h"
#include "plumb/sweep/results_text.h"
#include "plumb/sweep/run_all.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

bool colours() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !std::getenv("NO_COLOR") && term && std::string_view(term) != "dumb";
}

// runs/x/sweep.toml is what a sweep left in its folder: it goes on there.
fs::path usual_folder(const fs::path& file) {
  std::error_code ignored;
  const fs::path here = file.has_parent_path() ? file.parent_path() : ".";
  const bool stored = file.filename() == "sweep.toml" && fs::exists(here / kSweepResultsFile, ignored);
  return stored ? here : fs::path("runs") / file.stem();
}

}  // namespace

int sweep_command(int argc, char** argv) {
  std::string file, out;
  std::vector<std::string> overrides;
  int cores = 0;
  bool dry = false, json = false;
  CLI::App app;
  app.add_option("sweep", file, "a .toml file; docs/sweep.md says what stands in it")->required();
  app.add_option("--out", out,
                 "where the runs go, and those that are there go on; without it runs/ and the file's name");
  app.add_option("--cores", cores, "cores for all runs at a time; without it the file's, or all")
      ->check(CLI::Range(1, 4096));
  app.add_option("--set", overrides, "key=value for every run, after the file's; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--dry-run", dry, "print the runs and their settings, and stop");
  app.add_flag("--json", json, "the results, or the plan, for programs");
  if (!parse_arguments(app, argc, argv)) return 0;
  const sweep::Sweep sweep = sweep::read_sweep(file, overrides);
  const sweep::RunOptions options{.out = out.empty() ? usual_folder(file) : fs::path(out), .cores = cores};
  if (dry) {
    const sweep::SweepResults now = sweep::read_results(sweep, options.out);
    print(json ? to_json_line(to_json(now)) + "\n" : sweep::dry_run_text(now));
    return 0;
  }
  try {
    const sweep::SweepResults results = sweep::run_all(sweep, options);
    print(json ? to_json_line(to_json(results)) + "\n" : sweep::results_text(results, colours()));
    for (const sweep::RunResult& run : results.runs) {
      if (!run.error.empty()) return static_cast<int>(Exit::OurMistake);
    }
    return 0;
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  }
}

}  // namespace plumb
