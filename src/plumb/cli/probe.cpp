// plumb probe CONFIG_OR_RUN [--set key=value]... [--only a,b] [--compare v,v] [--out DIR] [--json]

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/progress.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/cli/prepared_data.h"
#include "plumb/config/load.h"
#include "plumb/config/suggestion.h"
#include "plumb/ops/path.h"
#include "plumb/probe/examine.h"
#include "plumb/probe/records.h"
#include "plumb/probe/show.h"
#include "plumb/probe/verdict.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::string what, checkpoint;
  std::vector<std::string> overrides, only, compare;
  std::string out;
  bool json = false, tables = false;
};

bool is_run(const std::string& what) {
  std::error_code ignored;
  return fs::exists(fs::path(what) / "config.toml", ignored);
}

const ProbeRow& row_of(const std::string& name) {
  if (const ProbeRow* row = find_probe(name)) return *row;
  std::vector<std::string_view> names;
  for (const ProbeRow& row : probes()) names.push_back(row.name);
  throw UserError("--only", fmt::format("there is no probe {}", name),
                  fmt::format("{}`plumb list probes` shows all", did_you_mean(name, names)));
}

/// Those that were asked for, or the cheap and medium ones, as far as there is something for them to look at.
std::vector<const ProbeRow*> chosen(const Request& request) {
  std::vector<const ProbeRow*> rows;
  for (const std::string& name : request.only) {
    const ProbeRow& row = row_of(name);
    if (row.needs == ProbeRow::Needs::Run && !is_run(request.what)) {
      throw UserError(request.what, fmt::format("{} needs the checkpoints of a run", name),
                      "Name a run directory that `plumb train` wrote");
    }
    rows.push_back(&row);
  }
  if (!rows.empty()) return rows;
  for (const ProbeRow& row : probes()) {
    // The lemmas speak of a setting of their own: they say nothing about this model.
    const bool its_own_setting = row.name == "lemmas";
    if (row.tier != ProbeRow::Tier::Heavy && !its_own_setting) rows.push_back(&row);
  }
  return rows;
}

std::vector<Subject::Checkpoint> checkpoints_of(const std::string& run) {
  const Checkpoints checkpoints(run);
  std::vector<Subject::Checkpoint> all;
  for (int64_t update : checkpoints.updates()) all.push_back({update, checkpoints.model_file(update)});
  if (all.empty()) throw UserError(run, "holds no checkpoint", "Name a run directory that `plumb train` wrote");
  return all;
}

const Subject::Checkpoint& chosen_checkpoint(const std::vector<Subject::Checkpoint>& all, const std::string& which) {
  if (which == "last") return all.back();
  const auto found = std::ranges::find_if(all, [&](const auto& one) { return std::to_string(one.update) == which; });
  if (found != all.end()) return *found;
  std::vector<int64_t> updates;
  for (const auto& one : all) updates.push_back(one.update);
  throw UserError("--checkpoint", fmt::format("there is no checkpoint {}", which),
                  fmt::format("Use last, or one of {}", fmt::join(updates, ", ")));
}

/// What to measure: the config of the file, or one for each wiring of --compare.
struct Plan {
  std::vector<Config> configs;
  Sample sample;
};

Plan plan_of(const Request& request, const std::string& file) {
  Plan plan;
  Sources sources;
  Config base = load_config(file, request.overrides, &sources);
  set_threads(base.threads);
  ops::set_path(base.ops);
  if (sources.has_section("data")) {
    plan.sample = sample_of(base, prepare_data(file, request.overrides, base, sources));
  } else {
    plan.sample = random_sample(base);
  }
  if (request.compare.empty()) plan.configs.push_back(base);
  for (const std::string& variant : request.compare) {
    std::vector<std::string> overrides = request.overrides;
    overrides.push_back("model.variant=" + variant);
    Config config = load_config(file, overrides);
    config.model.source_vocab = base.model.source_vocab;
    config.model.target_vocab = base.model.target_vocab;
    config.model.classes = base.model.classes;
    config.speech = base.speech;
    plan.configs.push_back(std::move(config));
  }
  return plan;
}

/// Whether what the forecast rests on is among them.
bool tells_the_future(const std::vector<const ProbeRow*>& rows) {
  return std::ranges::all_of(probes_of_the_forecast(),
                             [&](const ProbeRow* needed) { return std::ranges::find(rows, needed) != rows.end(); });
}

/// The wirings that people would turn to, as far as the forecast needs them, with one seed.
std::vector<Findings> measured_others(const Findings& measured, const Sample& sample) {
  std::vector<Findings> others;
  Progress progress("other wirings", wirings_to_suggest().size());
  for (std::string_view candidate : wirings_to_suggest()) {
    Config config = measured.config;
    if (candidate != config.model.variant) {
      config.model.variant = candidate;
      config.model.encoder_variant = config.model.decoder_variant = config.model.placement = "";
      config.probe.seeds = 1;
      others.push_back(
          examine(Subject(config, sample, static_cast<uint64_t>(config.seed)), probes_of_the_forecast(), [] {}));
    }
    progress.advance();
  }
  return others;
}

std::vector<Arm> examined(const Request& request, const Plan& plan, const std::vector<const ProbeRow*>& rows) {
  const bool run = is_run(request.what);
  const int64_t seeds = run ? 1 : plan.configs.front().probe.seeds;
  Progress progress("probing", static_cast<uint64_t>(std::ssize(rows) * seeds * std::ssize(plan.configs)));
  std::vector<Arm> arms;
  for (const Config& config : plan.configs) {
    Subject subject(config, plan.sample, static_cast<uint64_t>(config.seed));
    if (run) {
      const auto all = checkpoints_of(request.what);
      subject = subject.with_weights(chosen_checkpoint(all, request.checkpoint).file).with_checkpoints(all);
    }
    arms.push_back({examine(subject, rows, [&] { progress.advance(); }), {}});
  }
  return arms;
}

void judge(const Request& request, const Sample& sample, std::vector<Arm>& arms) {
  const bool ask_others = request.only.empty() && arms.size() == 1;
  const std::vector<Findings> others =
      ask_others ? measured_others(arms.front().findings, sample) : std::vector<Findings>();
  for (Arm& arm : arms) arm.verdict = verdict_of(arm.findings, others);
}

/// For a person: the tables that were asked for, wirings side by side, what follows.
std::string page_of(const Request& request, const Sample& sample, const std::vector<Arm>& arms) {
  std::string text;
  std::vector<Findings> all;
  for (const Arm& arm : arms) {
    all.push_back(arm.findings);
    if (!request.tables && request.only.empty()) continue;
    text += fmt::format("{}, {}\n\n", arm.findings.variant, sample.origin);
    for (const Finding& finding : arm.findings.all) text += in_words(finding);
  }
  if (arms.size() > 1) text += side_by_side(all) + '\n';
  for (const Arm& arm : arms) {
    if (arm.verdict) text += in_words(*arm.verdict) + '\n';
  }
  return text;
}

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

}  // namespace

int probe_command(int argc, char** argv) {
  Request request;
  request.checkpoint = "last";
  CLI::App app;
  app.add_option("what", request.what, "a .toml file, or a run directory written by `plumb train`")->required();
  app.add_option("--set", request.overrides, "key=value, after the file; may be repeated")->allow_extra_args(false);
  app.add_option("--only", request.only, "these probes alone: rows of `plumb list probes`")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--compare", request.compare, "these variants side by side")->delimiter(',')->allow_extra_args(false);
  app.add_option("--checkpoint", request.checkpoint, "of a run: last, or the number of an update")
      ->capture_default_str();
  app.add_option("--out", request.out, "a folder for probe.jsonl, which has every number");
  app.add_flag("--tables", request.tables, "show what every probe found, not only what follows from it");
  app.add_flag("--json", request.json, "everything for programs, on stdout");
  if (!parse_arguments(app, argc, argv)) return 0;

  const std::vector<const ProbeRow*> rows = chosen(request);
  const bool run = is_run(request.what);
  if (run && !request.compare.empty()) {
    throw UserError("--compare", "a run has one wiring", "Compare wirings of a config, or probe several runs");
  }
  if (!request.out.empty()) make_folder(request.out);  // now, not after an hour of measuring
  const Plan plan = plan_of(request, run ? (fs::path(request.what) / "config.toml").string() : request.what);
  std::vector<Arm> arms = examined(request, plan, rows);
  if (!run && tells_the_future(rows)) judge(request, plan.sample, arms);
  if (!request.out.empty()) {
    write_whole(fs::path(request.out) / "probe.jsonl", record_lines(request.what, arms, plan.sample));
  }
  print(request.json ? to_json_line(to_json(request.what, arms, plan.sample)) + '\n'
                     : page_of(request, plan.sample, arms));
  fmt::print(stderr, "peak memory {:.1f} GB\n", peak_gigabytes());
  return 0;
}

}  // namespace plumb
