#include "plumb/train/training_log.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/jsonl.h"
#include "plumb/base/version.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/runs/record_json.h"
#include "plumb/runs/run_log.h"
#include "plumb/runs/tensorboard.h"
#include "plumb/train/status.h"

namespace plumb {
namespace {

// A build without git has no commit to note.
template <class Event>
void note_program(Event& event) {
  event.version = std::string(version());
  if (!commit().empty()) event.commit = std::string(commit());
}

}  // namespace

/// Where records go.
struct TrainingLog::Outputs {
  explicit Outputs(const std::filesystem::path& run, bool tensorboard) : log(run / kLogFile) {
    if (tensorboard) board.emplace(run / kTensorBoardFolder);
  }

  void write(const LogRecord& record) { log.write(to_json(record)); }
  void write_train(const TrainRecord& record, int64_t max_update);
  void write_valid(const ValidRecord& record, const ValidationReport& report, bool best);
  void flush_board(int64_t update);

  JsonlWriter log;
  std::optional<TensorBoardWriter> board;
  bool board_failed = false;  // and that was said
  StatusLine status;
};

void TrainingLog::Outputs::write_train(const TrainRecord& record, int64_t max_update) {
  write(record);
  status.show(record, max_update);
  if (!board) return;
  for (const auto number :
       {&TrainRecord::loss, &TrainRecord::nll, &TrainRecord::lr, &TrainRecord::gnorm, &TrainRecord::wps}) {
    board->scalar(fmt::format("{}/{}", TrainRecord::kType, key_of(number)), record.update,
                  (record.*number).value_or(NAN));
  }
  flush_board(record.update);
}

// Every number is in log.jsonl as well: nothing of the run is lost.
void TrainingLog::Outputs::flush_board(int64_t update) {
  const std::string problem = board->flush();
  if (problem.empty() || std::exchange(board_failed, true)) return;
  status.say(fmt::format("plumb: {}; training continues", problem));
  write(TensorBoardFailedEvent{.update = update, .error = problem});
}

void TrainingLog::Outputs::write_valid(const ValidRecord& record, const ValidationReport& report, bool best) {
  write(record);
  status.show(record, report.numbers, best);
  if (!board) return;
  const auto scalar = [&](std::string_view name, double value) {
    board->scalar(fmt::format("{}/{}", ValidRecord::kType, name), record.update, value);
  };
  scalar(key_of(&ValidRecord::loss), report.losses.loss);
  for (const auto& [name, value] : report.numbers) scalar(name, value);
  flush_board(record.update);
}

TrainingLog::TrainingLog(const std::filesystem::path& run, const TrainConfig& config, bool writes)
    : run_(run),
      max_update_(config.max_update),
      outputs_(writes ? std::make_unique<Outputs>(run, config.tensorboard) : nullptr) {}

TrainingLog::~TrainingLog() = default;

void TrainingLog::started(StartedEvent event) {
  if (!command_.empty()) event.command = command_;
  note_program(event);
  write(event);
}

void TrainingLog::pretrained(const std::string& run, const std::vector<std::string>& new_parameters) {
  write(PretrainedEvent{.run = run, .new_parameters = new_parameters});
}

void TrainingLog::damaged_checkpoint(int64_t update, const std::string& error, bool last) {
  if (!last) say(fmt::format("{}; trying the one before", error));
  write(DamagedCheckpointEvent{.update = update, .error = error});
}

void TrainingLog::resumed(int64_t update, const std::vector<std::string>& changes) {
  if (outputs_) outputs_->status.start_at(update);
  ResumedEvent event{.update = update, .changes = {}};
  if (!changes.empty()) event.changes = changes;
  note_program(event);
  write(event);
  // The reader leaves out what is done again from here.
  const RunLog log = read_run_log(run_, LogReading::Tolerant);
  for (const ValidRecord* valid : log.all<ValidRecord>()) last_valid_nll_ = valid->nll;
}

void TrainingLog::say(const std::string& text) {
  if (outputs_) outputs_->status.say(text);
}

void TrainingLog::step(int64_t update, const StepResult& result) {
  if (!result.applied) {
    write(NonfiniteEvent{.update = update,
                         .loss = result.loss,
                         .gnorm = result.gradient_norm,
                         .tap = result.nonfinite.tap,
                         .gradient_tap = result.nonfinite.gradient_tap,
                         .parameter = result.nonfinite.parameter});
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
  write(GradientsRecord{.update = update, .norms = norms});
}

// Batches hold sentences of like length, and short ones are easier: one update alone would say little.
TrainRecord TrainingLog::mean(const RunProgress& at, const StepResult& last) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - std::exchange(interval_start_, now)).count();
  const Interval sums = std::exchange(interval_, {});
  const double tokens = static_cast<double>(sums.tokens);
  const double updates = static_cast<double>(std::max<int64_t>(1, sums.updates));
  // Without an update that was applied there is no mean: the loss that was refused stands for it.
  return {.update = at.update,
          .epoch = at.epoch,
          .loss = sums.tokens > 0 ? sums.loss / tokens : last.loss,
          .nll = sums.tokens > 0 ? sums.nll / tokens : last.nll,
          .lr = last.lr,
          .gnorm = last.gradient_norm,
          .wps = tokens / seconds,
          .wpb = tokens / updates,
          .rows = static_cast<double>(sums.rows) / updates,
          .fill = sums.fill / updates,
          .tokens = at.tokens,
          .others = {}};
}

void TrainingLog::train(const RunProgress& at, const StepResult& last) {
  const TrainRecord record = mean(at, last);
  if (outputs_) outputs_->write_train(record, max_update_);
}

void TrainingLog::valid(const RunProgress& at, const ValidationReport& report, bool best) {
  last_valid_nll_ = report.losses.nll;
  if (!outputs_) return;
  if (report.samples) {
    SamplesRecord samples = *report.samples;
    samples.update = at.update;
    write(samples);
  }
  const ValidRecord record{.update = at.update,
                           .epoch = at.epoch,
                           .loss = report.losses.loss,
                           .nll = report.losses.nll,
                           .ppl = report.losses.perplexity(),
                           .scores = {report.numbers.begin(), report.numbers.end()}};
  outputs_->write_valid(record, report, best);
}

void TrainingLog::ending(int64_t update, const RunEnd& end, int64_t best_update) {
  switch (end.outcome) {
    case RunOutcome::Finished:
      return write(EarlyStopEvent{.update = update, .best_update = best_update});
    case RunOutcome::Stuck:
      return write(StuckEvent{.update = update, .reason = end.reason});
    case RunOutcome::Diverged:
      return write(DivergedEvent{.update = update, .reason = end.reason});
    case RunOutcome::Interrupted:
      return write(OtherEvent{.update = update, .event = std::string(outcome_name(end.outcome)), .reason = end.reason});
  }
}

void TrainingLog::ended(int64_t update, RunOutcome outcome, double unigram_entropy) {
  EndedEvent event{.update = update, .outcome = outcome, .unigram_share = {}};
  std::string worth;
  const double share = unigram_share(last_valid_nll_.value_or(NAN), unigram_entropy).value_or(NAN);
  if (last_valid_nll_ && unigram_entropy > 0) {
    event.unigram_share = share;
    worth = fmt::format(", last validation NLL {:.1f} % of the unigram entropy", 100 * share);
  }
  write(event);
  if (outputs_) outputs_->status.say(fmt::format("{} after {} updates{}", outcome_name(outcome), update, worth));
}

void TrainingLog::write(const LogRecord& record) {
  if (outputs_) outputs_->write(record);
}

}  // namespace plumb
