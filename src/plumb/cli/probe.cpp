// plumb probe CONFIG_OR_RUN [--set key=value]... [--only a,b] [--compare v,v] [--out DIR] [--json]

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/jsonl.h"
#include "plumb/base/progress.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/engine.h"
#include "plumb/cli/prepared_data.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"
#include "plumb/config/suggestion.h"
#include "plumb/ops/path.h"
#include "plumb/probe/examine.h"
#include "plumb/probe/show.h"
#include "plumb/probe/verdict.h"
#include "plumb/run/checkpoint.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

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

/// The configs to measure: that of the file, or one for each wiring of --compare.
struct Arms {
  std::vector<Config> configs;
  Sample sample;
};

Arms arms_of(const Request& request, const std::string& file) {
  Arms arms;
  Sources sources;
  Config base = load_config(file, request.overrides, &sources);
  set_threads(base.threads);
  ops::set_path(base.ops);
  if (sources.has_section("data")) {
    arms.sample = sample_of(base, prepare_data(file, request.overrides, base, sources));
  } else {
    arms.sample = random_sample(base);
  }
  if (request.compare.empty()) arms.configs.push_back(base);
  for (const std::string& variant : request.compare) {
    std::vector<std::string> overrides = request.overrides;
    overrides.push_back("model.variant=" + variant);
    Config config = load_config(file, overrides);
    config.model.source_vocab = base.model.source_vocab;
    config.model.target_vocab = base.model.target_vocab;
    arms.configs.push_back(std::move(config));
  }
  return arms;
}

ordered_json to_json(const Findings& findings, const Sample& sample) {
  ordered_json probes = ordered_json::object();
  for (const Finding& finding : findings.all) {
    ordered_json curves = ordered_json::array();
    for (const Curve& curve : finding.means) curves.push_back(plumb::to_json(curve));
    probes[std::string(finding.row->name)] = {{"seconds", finding.seconds}, {"curves", std::move(curves)}};
  }
  return {{"variant", findings.variant}, {"sample", sample.origin}, {"probes", std::move(probes)}};
}

/// Everything that was read, one line each, then the means, then the verdict.
void write_records(const fs::path& folder, const Request& request, const std::vector<Findings>& all,
                   const Sample& sample, const std::vector<Verdict>& verdicts) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw DiskError(folder.string(), "cannot be created (" + error.message() + ")", "Choose another --out");
  std::string lines;
  const auto line = [&](const ordered_json& record) { lines += to_json_line(record) + '\n'; };
  for (size_t arm = 0; arm < all.size(); ++arm) {
    const Findings& findings = all[arm];
    line({{"type", "subject"},
          {"of", request.what},
          {"variant", findings.variant},
          {"sample", sample.origin},
          {"config", to_toml(findings.config)}});
    for (const Finding& finding : findings.all) {
      const auto record = [&](const char* type, const ordered_json& found, int64_t seed) {
        ordered_json json = {{"type", type}, {"probe", finding.row->name}, {"variant", findings.variant}};
        if (seed >= 0) json["seed"] = findings.config.seed + seed;
        json.update(found);
        line(json);
      };
      for (size_t seed = 0; seed < finding.by_seed.size(); ++seed) {
        for (const Reading& reading : finding.by_seed[seed].all())
          record("reading", plumb::to_json(reading), static_cast<int64_t>(seed));
      }
      for (const Curve& curve : finding.means) record("curve", plumb::to_json(curve), -1);
    }
    if (arm < verdicts.size())
      line({{"type", "verdict"}, {"variant", findings.variant}, {"verdict", plumb::to_json(verdicts[arm])}});
  }
  write_whole(folder / "probe.jsonl", lines);
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
  const std::string file = run ? (fs::path(request.what) / "config.toml").string() : request.what;
  if (run && !request.compare.empty()) {
    throw UserError("--compare", "a run has one wiring", "Compare wirings of a config, or probe several runs");
  }
  const Arms arms = arms_of(request, file);
  const int64_t seeds = run ? 1 : arms.configs.front().probe.seeds;
  Progress progress("probing", static_cast<uint64_t>(std::ssize(rows) * seeds * std::ssize(arms.configs)));
  std::vector<Findings> all;
  for (const Config& config : arms.configs) {
    Subject subject(config, arms.sample, static_cast<uint64_t>(config.seed));
    if (run) {
      const auto checkpoints = checkpoints_of(request.what);
      subject =
          subject.with_weights(chosen_checkpoint(checkpoints, request.checkpoint).file).with_checkpoints(checkpoints);
    }
    all.push_back(examine(subject, rows, [&] { progress.advance(); }));
  }
  progress.finish();

  std::vector<Verdict> verdicts;
  if (!run && tells_the_future(rows)) {
    const bool ask_others = request.only.empty() && all.size() == 1;
    const std::vector<Findings> others =
        ask_others ? measured_others(all.front(), arms.sample) : std::vector<Findings>();
    for (const Findings& findings : all) verdicts.push_back(verdict_of(findings, others));
  }
  if (!request.out.empty()) write_records(request.out, request, all, arms.sample, verdicts);
  if (request.json) {
    ordered_json json = {{"of", request.what}, {"arms", ordered_json::array()}};
    for (size_t arm = 0; arm < all.size(); ++arm) {
      ordered_json one = to_json(all[arm], arms.sample);
      if (arm < verdicts.size()) one["verdict"] = plumb::to_json(verdicts[arm]);
      json["arms"].push_back(std::move(one));
    }
    print(to_json_line(json) + '\n');
    return 0;
  }
  if (request.tables || !request.only.empty()) {
    for (const Findings& findings : all) {
      print(fmt::format("{}, {}\n\n", findings.variant, arms.sample.origin));
      for (const Finding& finding : findings.all) print(in_words(finding));
    }
  }
  if (all.size() > 1) print(side_by_side(all) + '\n');
  for (const Verdict& verdict : verdicts) print(in_words(verdict) + '\n');
  fmt::print(stderr, "peak memory {:.1f} GB\n", peak_gigabytes());
  return 0;
}

}  // namespace plumb
