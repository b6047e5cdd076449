#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumb/runs/outcome.h"

/// The records of log.jsonl. Every struct lists its fields once, in `fields`: writing, reading, `plumb list
/// run-directory` and the tables of docs/run-directory.md all walk that list (runs/record_json.h, runs/record_rows.h).
///
/// A number that may be absent (in a log of another version) is std::optional; NaN and infinities are numbers. Texts
/// and lists that are absent are empty; those that are optional are left out when they are not set.
namespace plumb {

using Number = std::optional<double>;
using Count = std::optional<int64_t>;

/// Every other number of a record, by its key.
using OtherNumbers = std::map<std::string, double>;

struct TrainRecord {
  static constexpr std::string_view kType = "train", kHelp = "every `train.log_interval` updates";
  int64_t update = 0;
  Number epoch, loss, nll, lr, gnorm, wps, wpb, rows, fill;
  Count tokens;
  OtherNumbers others;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("epoch", r.epoch, "passes over the data");
    visit("loss", r.loss, "mean smoothed loss since the last record, nats per target token");
    visit("nll", r.nll, "mean negative log-likelihood since the last record, nats per target token");
    visit("lr", r.lr, "learning rate of the last update");
    visit("gnorm", r.gnorm, "gradient norm of the last update, before clipping");
    visit("wps", r.wps, "target tokens per second since the last record");
    visit("wpb", r.wpb, "mean target tokens per update");
    visit("rows", r.rows, "mean source and target rows per update (there is no padding: all are tokens)");
    visit("fill", r.fill, "mean share of `train.max_tokens` that the longer side uses");
    visit("tokens", r.tokens, "target tokens so far");
    visit("", r.others, "numbers of other versions");
  }
};

struct ValidRecord {
  static constexpr std::string_view kType = "valid", kHelp = "a validation";
  int64_t update = 0;
  Number epoch, loss, nll, ppl;
  OtherNumbers scores;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("epoch", r.epoch, "passes over the data");
    visit("loss", r.loss, "smoothed loss, nats per target token");
    visit("nll", r.nll, "negative log-likelihood, nats per target token");
    visit("ppl", r.ppl, "perplexity, exp(nll)");
    visit("", r.scores,
          "numbers of the task (language model: `ppl_word`, `ppl_byte`, `bits_per_byte`) and the score of "
          "`train.validate_metric`, each under its name");
  }
};

struct GradientsRecord {
  static constexpr std::string_view kType = "gradients", kHelp = "every `train.gradient_interval` updates";
  int64_t update = 0;
  OtherNumbers norms;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "update whose gradients they are, from 0");
    visit("norms", r.norms, "gradient norm of the parameters of each sub-layer, by name");
  }
};

struct SamplesRecord {
  static constexpr std::string_view kType = "samples", kHelp = "at a validation with `train.validate_metric`";
  int64_t update = 0;
  std::vector<std::string> source, reference, output;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("source", r.source, "first four source lines of the validation set");
    visit("reference", r.reference, "their references");
    visit("output", r.output, "what the model generates, greedily");
  }
};

// ---- events: type "event", and which one it is in the field `event` ----

struct StartedEvent {
  static constexpr std::string_view kEvent = "started", kHelp = "before the first update";
  int64_t update = 0;
  Count parameters, train_examples, left_out;
  Number unigram_entropy;
  Count threads;
  std::optional<std::string> command;
  std::optional<std::string> version = {}, commit = {};

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "0");
    visit("parameters", r.parameters, "trainable numbers of the model");
    visit("train_examples", r.train_examples, "training examples");
    visit("left_out", r.left_out, "training examples that are too long");
    visit("unigram_entropy", r.unigram_entropy, "unigram entropy of the target, nats per token");
    visit("threads", r.threads, "threads in effect");
    visit("command", r.command, "command line");
    visit("version", r.version, "version of the program");
    visit("commit", r.commit, "commit that it was built from; `-dirty`: files had been changed");
  }
};

struct PretrainedEvent {
  static constexpr std::string_view kEvent = "pretrained", kHelp = "weights of `train.pretrained` are loaded";
  int64_t update = 0;
  std::string run;
  std::vector<std::string> new_parameters;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "0");
    visit("run", r.run, "`train.pretrained`");
    visit("new_parameters", r.new_parameters, "parameters that it does not have");
  }
};

struct ResumedEvent {
  static constexpr std::string_view kEvent = "resumed", kHelp = "`--resume`: records beyond `update` are superseded";
  int64_t update = 0;
  std::optional<std::vector<std::string>> changes;
  std::optional<std::string> version = {}, commit = {};

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "update of the checkpoint");
    visit("changes", r.changes, "differences in config and data, if there are any");
    visit("version", r.version, "version of the program");
    visit("commit", r.commit, "commit that it was built from; `-dirty`: files had been changed");
  }
};

struct DamagedCheckpointEvent {
  static constexpr std::string_view kEvent = "damaged_checkpoint", kHelp = "a checkpoint that `--resume` passed over";
  int64_t update = 0;
  std::string error;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "update of the checkpoint");
    visit("error", r.error, "what is wrong with it");
  }
};

struct NonfiniteEvent {
  static constexpr std::string_view kEvent = "nonfinite", kHelp = "an update that was not applied";
  int64_t update = 0;
  Number loss, gnorm;
  std::string tap, gradient_tap, parameter;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "update that failed, from 0");
    visit("loss", r.loss, "its loss");
    visit("gnorm", r.gnorm, "its gradient norm");
    visit("tap", r.tap, "first tap with a value that is not finite");
    visit("gradient_tap", r.gradient_tap, "last tap with a gradient that is not finite");
    visit("parameter", r.parameter, "first parameter that is not finite");
  }
};

struct TensorBoardFailedEvent {
  static constexpr std::string_view kEvent = "tensorboard_failed",
                                    kHelp = "the first time that tensorboard/ cannot be written; training continues";
  int64_t update = 0;
  std::string error;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("error", r.error, "what went wrong");
  }
};

struct DivergedEvent {
  static constexpr std::string_view kEvent = "diverged", kHelp = "the run diverged";
  int64_t update = 0;
  std::string reason;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("reason", r.reason, "which limit was crossed");
  }
};

struct StuckEvent {
  static constexpr std::string_view kEvent = "stuck", kHelp = "the run is stuck";
  int64_t update = 0;
  std::string reason;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("reason", r.reason, "best validation loss and unigram entropy");
  }
};

struct EarlyStopEvent {
  static constexpr std::string_view kEvent = "early_stop", kHelp = "`train.patience` is used up";
  int64_t update = 0;
  Count best_update;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("best_update", r.best_update, "update with the lowest validation loss");
  }
};

struct EndedEvent {
  static constexpr std::string_view kEvent = "ended", kHelp = "the last record of a run that was not killed";
  int64_t update = 0;
  std::optional<RunOutcome> outcome;
  Number unigram_share;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("update", r.update, "updates done");
    visit("outcome", r.outcome, "see below");
    visit("unigram_share", r.unigram_share, "last validation `nll` / unigram entropy of the target");
  }
};

/// An event or record of another version: where it stands is known, and what it is called.
struct OtherEvent {
  int64_t update = 0;
  std::string event, reason;
};
struct OtherRecord {
  int64_t update = 0;
  std::string type;
};

using LogRecord = std::variant<TrainRecord, ValidRecord, GradientsRecord, SamplesRecord, StartedEvent, PretrainedEvent,
                               ResumedEvent, DamagedCheckpointEvent, NonfiniteEvent, TensorBoardFailedEvent,
                               DivergedEvent, StuckEvent, EarlyStopEvent, EndedEvent, OtherEvent, OtherRecord>;

inline constexpr std::string_view kEventType = "event";

template <class Record>
concept IsEvent = requires {
  Record::kEvent;
};
/// A record of this version, with a list of fields.
template <class Record>
concept IsKnown = IsEvent<Record> || requires {
  Record::kType;
};

inline int64_t update_of(const LogRecord& record) {
  return std::visit([](const auto& one) { return one.update; }, record);
}

}  // namespace plumb
