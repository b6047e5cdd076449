// plumb reproduce [ID...] [--list | --render [--check]] [--out DIR] [--cores N] [--json]

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/to_stderr.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/front.h"
#include "plumb/process/signals.h"
#include "plumb/reproduce/render.h"
#include "plumb/reproduce/steps.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace reproduce;

struct ReproduceRequest {
  std::vector<std::string> ids;
  std::string entries = "reproduce", results = "docs/results/reproduce", pages = "docs/papers", out = "runs/reproduce";
  int cores = 0;
  bool list = false, render = false, check = false, json = false;
};

json line_of(const Entry& entry, const Results& results) {
  const auto found = results.find(entry.id);
  const bool judged = found != results.end() && !is_stale(found->second, entry);
  json line = {{"id", entry.id},
               {"paper", entry.paper},
               {"where", entry.where},
               {"title", entry.title},
               {"verdict", judged ? verdict_name(found->second.verdict) : "not run"},
               {"stale", found != results.end() && !judged},
               {"can_run", entry.can_run()},
               {"minutes", entry.desk.minutes}};
  if (judged) line["seconds"] = found->second.seconds;
  return line;
}

// Where there are no results yet, nothing was run; where a wrong name was given, everything would seem so.
void check_results(const fs::path& folder, bool given) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored) || (!given && !fs::exists(folder, ignored))) return;
  throw UserError(folder.string(), fs::exists(folder, ignored) ? "is no folder" : "there is no such folder",
                  "Name the folder of the verdicts with --results");
}

void show_list(const ReproduceRequest& request, const std::vector<Paper>& papers) {
  const Results results = read_results(request.results, papers);
  if (!request.json) {
    print(list_text(papers, results, kLineWidth));
    return;
  }
  json all = json::array();
  for (const Paper& paper : papers) {
    for (const Entry& entry : paper.entries) all.push_back(line_of(entry, results));
  }
  print(to_json_line(all) + '\n');
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Writes the pages, or says which of them are not what would be written.
int render_pages(const ReproduceRequest& request, const std::vector<Paper>& papers) {
  const Results results = read_results(request.results, papers);
  std::vector<std::pair<fs::path, std::string>> pages = {
      {fs::path(request.pages) / "README.md", overview_page(papers, results)}};
  for (const Paper& paper : papers) {
    pages.emplace_back(fs::path(request.pages) / (paper.name + ".md"), paper_page(paper, results));
  }
  int outdated = 0;
  if (!request.check) make_folder(request.pages, "Choose another --pages");
  for (const auto& [file, text] : pages) {
    if (text_of(file) == text) continue;
    ++outdated;
    if (!request.check) write_whole(file, text);
    to_stderr("{} {}\n", file.string(), request.check ? "is out of date" : "written");
  }
  return request.check && outdated > 0 ? static_cast<int>(Exit::OurMistake) : 0;
}

Result judged(const Entry& entry, const ReproduceRequest& request) {
  const Evidence evidence = gather(entry, {.out = request.out, .cores = request.cores, .quiet = false});
  const Result result = make_result(entry, judge(entry, evidence.measured), evidence.measured, evidence.seconds);
  write_result(request.results, result);
  return result;
}

json as_json(const Result& result) {
  json lines = json::array();
  for (const Result::Line& line : result.lines) {
    lines.push_back({{"rule", line.rule}, {"measured", line.shown}, {"held", line.held}});
  }
  return {{"id", result.id}, {"verdict", verdict_name(result.verdict)}, {"seconds", result.seconds}, {"rules", lines}};
}

// An entry that cannot be done (its corpus is not there) does not keep the others from it; the exit code is its.
int run_entries(const ReproduceRequest& request, const std::vector<Paper>& papers) {
  const std::vector<const Entry*> chosen = chosen_entries(papers, request.ids);
  make_folder(request.results, "Choose another --results");  // before hours of training
  json all = json::array();
  int exit = 0;
  for (const Entry* entry : chosen) {
    if (!entry->can_run()) {
      if (!request.json) print(fmt::format("{}, {}: not run. {}\n", entry->id, entry->where, entry->desk.pointer));
      all.push_back({{"id", entry->id}, {"verdict", "not run"}});
      continue;
    }
    to_stderr("{}: {}\n", entry->id, entry->title);
    try {
      const Result result = judged(*entry, request);
      if (!request.json) print(result_text(*entry, result));
      all.push_back(as_json(result));
    } catch (const Error& error) {
      to_stderr("plumb: {}: {}\n", entry->id, error.what());
      all.push_back({{"id", entry->id}, {"error", error.what()}});
      exit = static_cast<int>(error.exit_code());
    }
  }
  if (request.json) print(to_json_line(all) + '\n');
  return exit;
}

}  // namespace

int reproduce_command(int argc, char** argv) {
  ReproduceRequest request;
  CLI::App app;
  app.add_option("ids", request.ids, "entries to run, as --list names them; without any, all that can run");
  app.add_flag("--list", request.list, "every entry with its last verdict and its time");
  app.add_flag("--render", request.render, "write the pages of the papers from entries and results");
  app.add_flag("--check", request.check, "with --render: only say whether the pages are up to date (exit 1 if not)");
  app.add_option("--out", request.out, "where the runs are kept, and go on from")->capture_default_str();
  app.add_option("--cores", request.cores, "cores for all runs at a time; without it, all")->check(CLI::Range(1, 4096));
  app.add_option("--entries", request.entries, "the folder of the entries")->capture_default_str();
  const CLI::Option* results =
      app.add_option("--results", request.results, "the folder of the verdicts")->capture_default_str();
  app.add_option("--pages", request.pages, "the folder of the pages")->capture_default_str();
  app.add_flag("--json", request.json, "for programs");
  if (!parse_arguments(app, argc, argv)) return 0;
  if (request.check && !request.render) throw UserError("--check", "goes with --render", "Write --render --check");
  if ((request.list || request.render) && !request.ids.empty()) {
    throw UserError(request.ids.front(), "--list and --render are about all entries", "Leave the ids out");
  }
  if (request.list && request.render) throw UserError("--list", "does not go with --render", "Give one of them");
  const std::vector<Paper> papers = read_catalogue(request.entries);
  if (request.list || request.render) check_results(request.results, results->count() > 0);
  if (request.list) {
    show_list(request, papers);
    return 0;
  }
  if (request.render) return render_pages(request, papers);
  try {
    return run_entries(request, papers);
  } catch (const Interrupted& interrupted) {
    to_stderr("Interrupted. Run the same command to continue.\n");
    return 128 + interrupted.signal;
  }
}

}  // namespace plumb
