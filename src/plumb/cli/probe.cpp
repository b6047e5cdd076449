// plumb probe CONFIG_OR_RUN [--set key=value]... [--only a,b] [--compare v,v] [--out DIR] [--json]

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/progress.h"
#include "plumb/base/to_stderr.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/ops/path.h"
#include "plumb/probe/findings_text.h"
#include "plumb/probe/records.h"
#include "plumb/probe/session.h"

namespace plumb {
namespace {

/// How a person or a program gets the results.
struct Output {
  std::string folder;
  bool json = false, tables = false;
};

/// For a person: the tables that were asked for, wirings side by side, what follows.
std::string page_of(const probe::Results& results, bool tables) {
  std::string text;
  std::vector<probe::Findings> all;
  for (const probe::ProbedVariant& one : results.variants) {
    all.push_back(one.findings);
    if (!tables) continue;
    text += fmt::format("{}, {}\n\n", one.findings.variant, results.sample.origin);
    for (const probe::Finding& finding : one.findings.all) text += in_words(finding);
  }
  if (results.variants.size() > 1) text += side_by_side(all) + '\n';
  for (const probe::ProbedVariant& one : results.variants) {
    if (one.forecast) text += in_words(*one.forecast) + '\n';
  }
  return text;
}

probe::Results measured(const probe::Session& session) {
  std::optional<Progress> line;
  return session.run([&](std::string_view stage, uint64_t done, uint64_t steps) {
    if (done == 0) {
      line.emplace(std::string(stage), steps);
    } else {
      line->advance();
    }
  });
}

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

}  // namespace

int probe_command(int argc, char** argv) {
  probe::Request request;
  Output output;
  CLI::App app;
  app.add_option("what", request.what, "a .toml file, or a run directory written by `plumb train`")->required();
  app.add_option("--set", request.overrides, "key=value, after the file; may be repeated")->allow_extra_args(false);
  app.add_option("--only", request.only, "these probes alone: rows of `plumb list probes`")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--compare", request.compare, "these variants side by side")->delimiter(',')->allow_extra_args(false);
  app.add_option("--checkpoint", request.checkpoint, "of a run: last, or the number of an update")
      ->capture_default_str();
  app.add_option("--out", output.folder, "a folder for probe.jsonl, which has every number");
  app.add_flag("--tables", output.tables, "show what every probe found, not only what follows from it");
  app.add_flag("--json", output.json, "everything for programs, on stdout");
  if (!parse_arguments(app, argc, argv)) return 0;

  const probe::Session session(request);
  if (!output.folder.empty()) make_folder(output.folder);  // now, not after an hour of measuring
  set_threads(session.config().threads);
  ops::set_path(session.config().ops);
  const probe::Results results = measured(session);
  if (!output.folder.empty()) {
    write_whole(std::filesystem::path(output.folder) / kProbeFile, probe::record_lines(results));
  }
  print(output.json ? to_json_line(probe::to_json(results)) + '\n'
                    : page_of(results, output.tables || !request.only.empty()));
  to_stderr("peak memory {:.1f} GB\n", peak_gigabytes());
  return 0;
}

}  // namespace plumb
