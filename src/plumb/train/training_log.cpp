#include "plumb/train/training_log.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/runs/run_summary.h"
#include "plumb/runs/tensorboard.h"
#include "plumb/train/status.h"

namespace plumb {

/// Where records go.
struct TrainingLog::Outputs {
  explicit Outputs(const std::filesystem::path& run, bool tensorboard) : log(run / "log.jsonl") {
    if (tensorboard) board.emplace(run / "tensorboard");
  }

  void write(const TrainRecord& record, int64_t max_update);
  void write(const ValidRecord& record);

  JsonlWriter log;
  std::optional<TensorBoardWriter> board;
  StatusLine status;
};

void TrainingLog::Outputs::write(const TrainRecord& record, int64_t max_update) {
  const int64_t update = record.at.update;
  log.write({{"type", "train"},
             {"update", update},
             {"epoch", record.at.epoch},
             {"loss", record.loss},
             {"nll", record.nll},
             {"lr", record.lr},
             {"gnorm", record.gradient_norm},
             {"wps", record.words_per_second},
             {"wpb", record.words_per_update},
             {"rows", record.rows_per_update},
             {"fill", record.fill},
             {"tokens", record.at.tokens}});
  status.show(record, max_update);
  if (!board) return;
  board->scalar("train/loss", update, record.loss);
  board->scalar("train/nll", update, record.nll);
  board->scalar("train/lr", update, record.lr);
  board->scalar("train/gnorm", update, record.gradient_norm);
  board->scalar("train/wps", update, record.words_per_second);
  board->flush();
}

void TrainingLog::Outputs::write(const ValidRecord& record) {
  const int64_t update = record.at.update;
  nlohmann::json json = {{"type", "valid"},     {"update", update},  {"epoch", record.at.epoch},
                         {"loss", record.loss}, {"nll", record.nll}, {"ppl", record.perplexity}};
  for (const auto& [name, value] : record.numbers) json[name] = value;
  log.write(json);
  status.show(record);
  if (!board) return;
  board->scalar("valid/loss", update, record.loss);
  for (const auto& [name, value] : record.numbers) board->scalar("valid/" + name, update, value);
}

TrainingLog::TrainingLog(const std::filesystem::path& run, const TrainConfig& config, bool writes)
    : run_(run),
      max_update_(config.max_update),
      outputs_(writes ? std::make_unique<Outputs>(run, config.tensorboard) : nullptr) {}

TrainingLog::~TrainingLog() = default;

void TrainingLog::started(const StartRecord& record) {
  nlohmann::json details = {{"parameters", record.parameters},
                            {"train_examples", record.train_examples},
                            {"left_out", record.left_out},
                            {"unigram_entropy", record.unigram_entropy},
                            {"threads", record.threads}};
  if (!command_.empty()) details["command"] = command_;
  event(0, "started", details);
}

void TrainingLog::pretrained(const std::string& run, const std::vector<std::string>& new_parameters) {
  event(0, "pretrained", {{"run", run}, {"new_parameters", new_parameters}});
}

void TrainingLog::damaged_checkpoint(int64_t update, const std::string& error) {
  if (outputs_) outputs_->status.say(fmt::format("{}; trying the one before", error));
  event(update, "damaged_checkpoint", {{"error", error}});
}

void TrainingLog::resumed(int64_t update, const std::vector<std::string>& changes) {
  if (outputs_) outputs_->status.start_at(update);
  nlohmann::json details = nlohmann::json::object();
  if (!changes.empty()) details["changes"] = changes;
  event(update, "resumed", details);
  // The reader leaves out what is done again from here.
  if (const auto last = read_run_summary(run_).last) last_valid_nll_ = last->nll;
}

void TrainingLog::step(int64_t update, const StepResult& result) {
  if (!result.applied) {
    event(update, "nonfinite",
          {{"loss", result.loss},
           {"gnorm", result.gradient_norm},
           {"tap", result.nonfinite.tap},
           {"gradient_tap", result.nonfinite.gradient_tap},
           {"parameter", result.nonfinite.parameter}});
    return;
  }
  const double tokens = static_cast<double>(result.tokens);
  interval_.loss += result.loss * tokens;
  interval_.nll += result.nll * tokens;
  interval_.tokens += result.tokens;
  interval_.rows += result.rows;
  interval_.fill += result.fill;
  ++interval_.updates;
}

void TrainingLog::gradients(int64_t update, const std::map<std::string, double>& norms) {
  if (outputs_) outputs_->log.write({{"type", "gradients"}, {"update", update}, {"norms", norms}});
}

// Batches hold sentences of like length, and short ones are easier: one update alone would say little.
TrainRecord TrainingLog::mean(const RunProgress& at, const StepResult& last) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - std::exchange(interval_start_, now)).count();
  const Interval sums = std::exchange(interval_, {});
  const double tokens = static_cast<double>(sums.tokens);
  const double updates = static_cast<double>(std::max<int64_t>(1, sums.updates));
  // Without an update that was applied there is no mean: the loss that was refused stands for it.
  return {.at = at,
          .loss = sums.tokens > 0 ? sums.loss / tokens : last.loss,
          .nll = sums.tokens > 0 ? sums.nll / tokens : last.nll,
          .lr = last.lr,
          .gradient_norm = last.gradient_norm,
          .words_per_second = tokens / seconds,
          .words_per_update = tokens / updates,
          .rows_per_update = static_cast<double>(sums.rows) / updates,
          .fill = sums.fill / updates};
}

void TrainingLog::train(const RunProgress& at, const StepResult& last) {
  const TrainRecord record = mean(at, last);
  if (outputs_) outputs_->write(record, max_update_);
}

void TrainingLog::valid(const RunProgress& at, const ValidationReport& report, bool best) {
  last_valid_nll_ = report.losses.nll;
  if (!outputs_) return;
  if (report.samples) {
    outputs_->log.write({{"type", "samples"},
                         {"update", at.update},
                         {"source", report.samples->sources},
                         {"reference", report.samples->references},
                         {"output", report.samples->outputs}});
  }
  outputs_->write(ValidRecord{.at = at,
                              .loss = report.losses.loss,
                              .nll = report.losses.nll,
                              .perplexity = report.losses.perplexity(),
                              .numbers = report.numbers,
                              .best = best});
}

void TrainingLog::ending(int64_t update, const RunEnd& end, int64_t best_update) {
  if (end.outcome == RunOutcome::Finished) {
    event(update, "early_stop", {{"best_update", best_update}});
  } else {
    event(update, std::string(outcome_name(end.outcome)), {{"reason", end.reason}});
  }
}

void TrainingLog::ended(int64_t update, RunOutcome outcome, double unigram_entropy) {
  nlohmann::json details = {{"outcome", outcome_name(outcome)}};
  std::string worth;
  const double share = unigram_share(last_valid_nll_.value_or(NAN), unigram_entropy).value_or(NAN);
  if (last_valid_nll_ && unigram_entropy > 0) {
    details["unigram_share"] = share;
    worth = fmt::format(", last validation NLL {:.1f} % of the unigram entropy", 100 * share);
  }
  event(update, "ended", details);
  if (outputs_) outputs_->status.say(fmt::format("{} after {} updates{}", outcome_name(outcome), update, worth));
}

void TrainingLog::event(int64_t update, const std::string& kind, const nlohmann::json& details) {
  if (!outputs_) return;
  nlohmann::json record = {{"type", "event"}, {"event", kind}, {"update", update}};
  record.update(details);
  outputs_->log.write(record);
}

}  // namespace plumb
