#include "plumb/probe/session.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/checkpoint/run_weights.h"
#include "plumb/config/load.h"
#include "plumb/config/suggestion.h"
#include "plumb/data/prepare_data.h"
#include "plumb/data/sized_by.h"
#include "plumb/probe/strain.h"

namespace plumb::probe {
namespace {

bool is_run(const std::string& what) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(what) / kConfigFile, ignored);
}

const ProbeRow& row_of(const std::string& name) {
  if (const ProbeRow* row = find_probe(name)) return *row;
  std::vector<std::string_view> names;
  for (const ProbeRow& row : probes()) names.push_back(row.name);
  throw UserError("--only", fmt::format("there is no probe {}", name),
                  fmt::format("{}`plumb list probes` shows all", did_you_mean(name, names)));
}

/// Those that were asked for, or the cheap and medium ones, as far as there is something for them to look at.
std::vector<const ProbeRow*> chosen_probes(const Request& request) {
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
    if (row.tier != ProbeRow::Tier::Heavy && !row.own_setting) rows.push_back(&row);
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

/// Whether these probes measure everything that a forecast rests on.
bool enough_for_a_forecast(const std::vector<const ProbeRow*>& rows) {
  return std::ranges::all_of(probes_of_the_forecast(),
                             [&](const ProbeRow* needed) { return std::ranges::find(rows, needed) != rows.end(); });
}

/// Counts the steps of one stage.
class Stage {
 public:
  Stage(std::string_view name, int64_t steps, const OnProgress& on_progress)
      : name_(name), steps_(static_cast<uint64_t>(steps)), on_progress_(on_progress) {
    if (on_progress_) on_progress_(name_, 0, steps_);
  }
  void advance() {
    if (on_progress_) on_progress_(name_, ++done_, steps_);
  }

 private:
  std::string_view name_;
  uint64_t steps_, done_ = 0;
  const OnProgress& on_progress_;
};

/// The variants that people would turn to, as far as a forecast needs them, with one seed.
std::vector<Findings> measured_others(const Findings& measured, const Sample& sample, const OnProgress& on_progress) {
  std::vector<Findings> others;
  Stage stage("other wirings", std::ssize(wirings_to_suggest()), on_progress);
  for (std::string_view candidate : wirings_to_suggest()) {
    Config config = measured.config;
    if (candidate != config.model.variant) {
      config.model.variant = candidate;
      config.model.encoder_variant = config.model.decoder_variant = config.model.placement = "";
      config.probe.seeds = 1;
      others.push_back(
          examine(Subject(config, sample, static_cast<uint64_t>(config.seed)), probes_of_the_forecast(), [] {}));
    }
    stage.advance();
  }
  return others;
}

}  // namespace

struct Session::Models {
  std::vector<Config> configs;
  Sample sample;
};

Session::Session(Request request)
    : request_(std::move(request)),
      of_run_(is_run(request_.what)),
      file_(of_run_ ? (std::filesystem::path(request_.what) / kConfigFile).string() : request_.what),
      rows_(chosen_probes(request_)) {
  if (of_run_ && !request_.compare.empty()) {
    throw UserError("--compare", "a run has one wiring", "Compare wirings of a config, or probe several runs");
  }
  config_ = load_config(file_, request_.overrides, &sources_);
}

Session::Models Session::models() const {
  Models models;
  Config base = config_;
  std::optional<Prepared> data;
  if (sources_.has_section("data")) data = prepare_data(file_, request_.overrides, base, sources_);
  models.sample = data ? sample_of(base, *data) : random_sample(base);
  if (request_.compare.empty()) models.configs.push_back(base);
  for (const std::string& variant : request_.compare) {
    std::vector<std::string> overrides = request_.overrides;
    overrides.push_back("model.variant=" + variant);
    Config config = load_config(file_, overrides);
    models.configs.push_back(data ? sized_by(std::move(config), *data, sources_) : std::move(config));
  }
  return models;
}

Findings Session::examined(const Config& config, const Sample& sample, const std::function<void()>& done) const {
  Subject subject(config, sample, static_cast<uint64_t>(config.seed));
  if (of_run_) {
    const auto all = checkpoints_of(request_.what);
    const Subject::Checkpoint& chosen = chosen_checkpoint(all, request_.checkpoint);
    const bool several =
        std::ranges::any_of(rows_, [](const ProbeRow* row) { return row->needs == ProbeRow::Needs::Run; });
    for (const Subject::Checkpoint& one : all) {
      if (!several && one.update != chosen.update) continue;
      check_same_model(Checkpoints(request_.what).state(one.update), config, request_.what);
    }
    subject = subject.with_weights(chosen.file).with_checkpoints(all);
  }
  return examine(subject, rows_, done);
}

Results Session::run(const OnProgress& on_progress) const {
  Models models = this->models();
  Results results{request_.what, std::move(models.sample), {}};
  const int64_t seeds = of_run_ ? 1 : models.configs.front().probe.seeds;
  Stage stage("probing", std::ssize(rows_) * seeds * std::ssize(models.configs), on_progress);
  for (const Config& config : models.configs) {
    results.variants.push_back({examined(config, results.sample, [&] { stage.advance(); }), {}});
  }
  if (of_run_ || !enough_for_a_forecast(rows_)) return results;
  std::vector<Findings> others;
  if (request_.only.empty() && results.variants.size() == 1) {
    others = measured_others(results.variants.front().findings, results.sample, on_progress);
  }
  for (ProbedVariant& one : results.variants) one.forecast = forecast_of(one.findings, others);
  return results;
}

}  // namespace plumb::probe
