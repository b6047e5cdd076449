#include "plumb/runs/run_summary.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "plumb/base/error.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/catalogue/schedules.h"
#include "plumb/config/from_toml.h"
#include "plumb/runs/record_json.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<Config> config_of(const fs::path& run) {
  const fs::path file = run / kConfigFile;
  if (cannot_be_read(file)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.empty()) return std::nullopt;  // or there is no such file: its defaults would pass for what was trained
  try {
    return from_toml(text, file.string());
  } catch (const Error&) {  // a key of another version
    return std::nullopt;
  }
}

std::string variant_of(const ModelConfig& model) {
  const std::string& encoder = model.encoder_variant.empty() ? model.variant : model.encoder_variant;
  const std::string& decoder = model.decoder_variant.empty() ? model.variant : model.decoder_variant;
  switch (model.form) {
    case Form::Encoder:
      return encoder;
    case Form::Decoder:
      return decoder;
    default:
      return encoder == decoder ? encoder : encoder + "/" + decoder;
  }
}

int64_t warmup_of(const ScheduleConfig& schedule) {
  if (schedule.warmup_updates) return *schedule.warmup_updates;
  const ScheduleRow* row = find_schedule(schedule.name);
  return row ? row->warmup_updates : 0;
}

void take_config(RunSummary& summary) {
  if (!summary.config) return;
  const Config& config = *summary.config;
  summary.variant = variant_of(config.model);
  summary.encoder_layers = config.model.form == Form::Decoder ? 0 : config.model.encoder_layers;
  summary.decoder_layers = config.model.form == Form::Encoder ? 0 : config.model.decoder_layers;
  summary.width = config.model.width;
  summary.lr = config.optim.lr;
  summary.warmup_updates = warmup_of(config.schedule);
  summary.max_update = config.train.max_update;
  summary.seed = config.seed;
}

ValidationPoint validation(const ValidRecord& record) {
  ValidationPoint point{.update = record.update, .loss = record.loss.value_or(NAN), .scores = record.scores};
  point.nll = record.nll.value_or(point.loss);
  point.ppl = record.ppl.value_or(std::exp(point.nll));
  return point;
}

// What is not a metric is a loss of a kind: perplexities and bits per byte.
bool better(const std::string& name, double a, double b) {
  const MetricRow* row = find_metric(name.substr(0, name.find('.')));
  return row && row->better == MetricRow::Better::Higher ? a > b : a < b;
}

void summarise(RunSummary& summary, const ValidRecord& record) {
  summary.last = validation(record);
  const ValidationPoint& point = *summary.last;
  if (std::isfinite(point.loss) && (!summary.best || point.loss < summary.best->loss)) summary.best = point;
  for (const auto& [name, value] : point.scores) {
    const auto known = summary.best_scores.find(name);
    if (!std::isfinite(value)) continue;
    if (known == summary.best_scores.end() || better(name, value, known->second.value)) {
      summary.best_scores[name] = {value, point.update};
    }
  }
}

void summarise(RunSummary& summary, const TrainRecord& record) {
  summary.train_loss = record.loss;
}

void restart(RunSummary& summary) {
  summary.state = RunState::Unfinished;
  summary.failure.reset();
}

void summarise(RunSummary& summary, const StartedEvent& event) {
  restart(summary);
  summary.parameters = event.parameters.value_or(0);
  summary.unigram_entropy = event.unigram_entropy;
}

void summarise(RunSummary& summary, const ResumedEvent&) {
  restart(summary);
}

void set_failure(RunSummary& summary, int64_t update, const std::string& reason) {
  summary.failure = RunFailure{};
  summary.failure->update = update;
  summary.failure->reason = reason;
}

void summarise(RunSummary& summary, const DivergedEvent& event) {
  set_failure(summary, event.update, event.reason);
}

void summarise(RunSummary& summary, const StuckEvent& event) {
  set_failure(summary, event.update, event.reason);
}

void summarise(RunSummary& summary, const EndedEvent& event) {
  if (event.outcome) summary.state = static_cast<RunState>(*event.outcome);
}

/// Everything else says nothing about a run as a whole.
template <class Record>
void summarise(RunSummary&, const Record&) {}

/// The first update that was not finite, of the row of them that ended a run.
class FirstNonfinite {
 public:
  void see(const NonfiniteEvent& event) {
    if (event.update != last_ + 1) first_ = &event;
    last_ = event.update;
  }
  void tell(RunFailure& failure) const {
    // The event counts the update that failed from 0, the end counts those that are done.
    if (!first_ || last_ + 1 < failure.update) return;
    failure.tap = first_->tap;
    failure.gradient_tap = first_->gradient_tap;
    failure.parameter = first_->parameter;
  }

 private:
  const NonfiniteEvent* first_ = nullptr;
  int64_t last_ = -2;
};

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Records carry no time: tokens between two of them, divided by tokens a second, are the seconds between them.
class Clock {
 public:
  void see(const TrainRecord& record) {
    const double rate = record.wps.value_or(0);
    if (!std::isfinite(rate) || rate <= 0) return;
    rates_.push_back(rate);
    if (!record.tokens || *record.tokens < tokens_) return;
    seconds_ += static_cast<double>(*record.tokens - tokens_) / rate;
    tokens_ = *record.tokens;
  }
  void tell(RunSummary& summary) const {
    summary.tokens_per_second = median(rates_);
    if (tokens_ > 0) summary.seconds = seconds_;
  }

 private:
  std::vector<double> rates_;
  int64_t tokens_ = 0;
  double seconds_ = 0;
};

/// What the config says. Without one these are not known, which is another thing than 0.
json settings_of(const RunSummary& summary) {
  return {{"variant", summary.variant},
          {"encoder_layers", summary.encoder_layers},
          {"decoder_layers", summary.decoder_layers},
          {"width", summary.width},
          {"lr", summary.lr},
          {"warmup_updates", summary.warmup_updates},
          {"max_update", summary.max_update},
          {"seed", summary.seed}};
}

json as_json(const ValidationPoint& point) {
  json result = {{key_of(&ValidRecord::update), point.update},
                 {key_of(&ValidRecord::loss), point.loss},
                 {key_of(&ValidRecord::nll), point.nll},
                 {key_of(&ValidRecord::ppl), point.ppl}};
  for (const auto& [name, value] : point.scores) result["scores"][name] = value;
  return result;
}

}  // namespace

std::string_view state_name(RunState state) {
  if (state == RunState::Unfinished) return "unfinished";
  if (state == RunState::NotStarted) return "not started";
  return outcome_name(static_cast<RunOutcome>(state));
}

std::optional<RunState> parse_state(std::string_view name) {
  for (const RunState state : {RunState::Unfinished, RunState::NotStarted}) {
    if (name == state_name(state)) return state;
  }
  const std::optional<RunOutcome> outcome = parse_outcome(name);
  return outcome ? std::optional(static_cast<RunState>(*outcome)) : std::nullopt;
}

RunSummary summarise_run(const fs::path& run, const RunLog& log) {
  RunSummary summary;
  summary.folder = run;
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(run, ignored);
  summary.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  summary.config = config_of(run);
  take_config(summary);
  Clock clock;
  FirstNonfinite nonfinite;
  for (const LogRecord& record : log.records) {
    summary.update = std::max(summary.update, update_of(record));
    std::visit([&](const auto& one) { summarise(summary, one); }, record);
    if (const auto* train = std::get_if<TrainRecord>(&record)) clock.see(*train);
    if (const auto* event = std::get_if<NonfiniteEvent>(&record)) nonfinite.see(*event);
  }
  summary.damaged_lines = log.damaged_lines;
  clock.tell(summary);
  if (summary.last && summary.unigram_entropy) {
    summary.unigram_share = unigram_share(summary.last->nll, *summary.unigram_entropy);
  }
  if (summary.failure) nonfinite.tell(*summary.failure);
  return summary;
}

RunSummary read_run_summary(const fs::path& run) {
  return summarise_run(run, read_run_log(run, LogReading::Tolerant));
}

json to_json(const RunSummary& summary) {
  json result = {{"name", summary.name},
                 {"state", state_name(summary.state)},
                 {"parameters", summary.parameters},
                 {"update", summary.update}};
  if (summary.config) result.update(settings_of(summary));
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) result[key] = *value;
  };
  add("unigram_share", summary.unigram_share);
  add("train_loss", summary.train_loss);
  add("tokens_per_second", summary.tokens_per_second);
  add("seconds", summary.seconds);
  if (summary.best) result["best"] = as_json(*summary.best);
  if (summary.last) result["last"] = as_json(*summary.last);
  for (const auto& [name, best] : summary.best_scores) {
    result["best_scores"][name] = {{"value", best.value}, {"update", best.update}};
  }
  if (summary.failure) {
    const RunFailure& f = *summary.failure;
    result["failure"] = {{"update", f.update},
                         {"reason", f.reason},
                         {"tap", f.tap},
                         {"gradient_tap", f.gradient_tap},
                         {"parameter", f.parameter}};
  }
  return result;
}

}  // namespace plumb
