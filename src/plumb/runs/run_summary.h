#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "plumb/config/config.h"
#include "plumb/runs/outcome.h"
#include "plumb/runs/run_log.h"

namespace plumb {

/// How far a run has come: how it ended (docs/run-directory.md), or that it has not.
enum class RunState {
  Finished = static_cast<int>(RunOutcome::Finished),
  Stuck = static_cast<int>(RunOutcome::Stuck),
  Diverged = static_cast<int>(RunOutcome::Diverged),
  Interrupted = static_cast<int>(RunOutcome::Interrupted),
  Unfinished,  // it is training now, or was killed: the log cannot tell
  NotStarted,  // nothing in it says that it ever made an update
};
std::string_view state_name(RunState state);  // of an outcome its name; "unfinished", "not started"
std::optional<RunState> parse_state(std::string_view name);

/// One validation: what every task has, and the numbers that this one adds (bleu, wer, bits_per_byte, ...).
struct ValidationPoint {
  int64_t update = 0;
  double loss = 0, nll = 0, ppl = 0;  // may be NaN or infinite: that is a result
  std::map<std::string, double> scores;
};

/// The best of a score over a run's validations; which way is better is the metric's row.
struct BestScore {
  double value = 0;
  int64_t update = 0;
};

/// Where and why a run diverged or got stuck.
struct RunFailure {
  int64_t update = 0;
  std::string reason;
  std::string tap, gradient_tap, parameter;  // what was not finite first; empty: everything was finite
};

/// A run directory in one row of a table: config.toml and log.jsonl and nothing else.
struct RunSummary {
  std::filesystem::path folder;
  std::string name;  // the folder's
  std::optional<Config> config;

  // Of the config; empty and 0 without one.
  std::string variant;  // encoder's/decoder's if they differ
  int64_t encoder_layers = 0, decoder_layers = 0, width = 0;
  double lr = 0;
  int64_t warmup_updates = 0;  // in effect, where the config says auto
  int64_t max_update = 0;
  int64_t seed = 0;

  RunState state = RunState::NotStarted;
  int64_t parameters = 0;
  int64_t update = 0;                         // the last that a record speaks of
  std::optional<ValidationPoint> best, last;  // best: the lowest finite loss; none if no validation was finite
  std::map<std::string, BestScore> best_scores;
  std::optional<double> unigram_entropy;    // of the target, nats a token
  std::optional<double> unigram_share;      // of the last validation's nll
  std::optional<double> train_loss;         // of the last train record
  std::optional<double> tokens_per_second;  // median over the train records
  std::optional<double> seconds;  // of the updates and what lay between them, without start and what was done twice
  std::optional<RunFailure> failure;
  int64_t damaged_lines = 0;

  bool ended() const { return state < RunState::Unfinished && state != RunState::Interrupted; }
  /// A run that counts as a failure: it diverged or got stuck.
  bool failed() const { return state == RunState::Stuck || state == RunState::Diverged; }
};

/// Reads what there is: a half-written log, numbers that are not finite, no log at all and a config from another
/// version are all answered, not refused.
RunSummary read_run_summary(const std::filesystem::path& run);

/// The same from a log that was read already.
RunSummary summarise_run(const std::filesystem::path& run, const RunLog& log);

/// For files of results: every field but the config; those that are of the config only where there is one.
nlohmann::json to_json(const RunSummary& summary);

}  // namespace plumb
