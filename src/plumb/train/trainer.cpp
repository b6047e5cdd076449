#include "plumb/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/make_folder.h"
#include "plumb/catalogue/run_files.h"
#include "plumb/config/dump.h"
#include "plumb/data/data_pieces.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/store/weights_file.h"
#include "plumb/train/start_weights.h"
#include "plumb/train/sublayer_gradients.h"
#include "plumb/train/validation_report.h"

namespace plumb {
namespace {

// The run directory must exist before the log is opened in it, and belongs to the worker that writes.
std::optional<RunLock> locked(const std::filesystem::path& run, const Workers& workers, std::optional<RunLock> lock) {
  if (lock || !workers.writes()) return lock;
  make_folder(run);
  return std::make_optional<RunLock>(run);
}

// The first ones, each up to its remedy: all of them share one.
std::string in_short(const std::vector<std::string>& damaged) {
  constexpr size_t kNamed = 3;
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, damaged.size()); ++i) {
    text += (i == 0 ? "" : "; ") + damaged[i].substr(0, damaged[i].rfind(". "));
  }
  if (damaged.size() > kNamed) text += fmt::format("; and {} more", damaged.size() - kNamed);
  return text;
}

}  // namespace

Trainer::Trainer(const Config& config, const Prepared& data, const std::filesystem::path& run,
                 std::unique_ptr<Workers> workers, std::optional<RunLock> lock)
    : config_(config),
      run_(run),
      workers_(std::move(workers)),
      lock_(locked(run, *workers_, std::move(lock))),
      data_(config, data),
      identity_(identity_of(config, data_)),
      model_(config.model, static_cast<uint64_t>(config.seed), where_of(config)),
      batches_(*data_.train, config.train.max_tokens, static_cast<uint64_t>(config.seed)),
      step_(config_, model_, *workers_, phase_),
      policy_(config_.train, data_.train->unigram_entropy()),
      checkpoints_(run),
      log_(run, config.train, workers_->writes()) {}

bool Trainer::resume(bool allow_changes) {
  std::vector<int64_t> updates = checkpoints_.updates();
  std::ranges::reverse(updates);
  std::vector<std::string> damaged;
  for (const int64_t update : updates) {
    try {
      const ResumeChanges changes = accepted_changes(checkpoints_, update, identity_, allow_changes);
      const CheckpointState state = checkpoints_.load(update, model_.parameters(), step_.optimiser());
      go_to(state, (checkpoints_.folder(update) / kStateFile).string());
      log_.resumed(at_.update, changes.all());
      return true;
    } catch (const DamagedFile& error) {
      damaged.push_back(error.what());
      log_.damaged_checkpoint(update, error.what(), /*last=*/damaged.size() == updates.size());
    }
  }
  if (damaged.empty()) return false;
  throw DamagedFile(run_.string(), fmt::format("no checkpoint is whole: {}", in_short(damaged)),
                    "Restore one from a copy, or add --restart to train again from update 0 and keep them aside");
}

void Trainer::restart() {
  if (!workers_->writes()) return;
  const std::filesystem::path aside = checkpoints_.set_aside();
  if (!aside.empty()) log_.say(fmt::format("the checkpoints of the earlier run are in {}", aside.string()));
}

void Trainer::go_to(const CheckpointState& state, const std::string& where) {
  const CheckpointState::Position& position = state.position;
  try {
    policy_.load(state);
  } catch (const nlohmann::json::exception&) {  // the guard's part is known to the guard alone
    throw DamagedFile(where, "guard is not whole", "Use an earlier checkpoint");
  }
  at_ = {.update = position.update, .tokens = position.tokens, .saved_update = position.update};
  phase_.set(Phase::Preparing, position.update);
  batches_.go_to({position.epoch, position.batch});
}

bool Trainer::finished() const {
  const TrainConfig& t = config_.train;
  return (t.max_update > 0 && at_.update >= t.max_update) ||
         (t.max_epoch > 0 && batches_.position().epoch >= t.max_epoch);
}

RunOutcome Trainer::run() {
  if (workers_->writes()) {
    write_whole(run_ / kConfigFile, to_toml(config_));
    data_.keep(run_);
    kept_ = pieces_to_json(kept_statistics(vocabulary_of(run_)));
  }
  if (at_.update == 0) start();
  std::optional<RunEnd> end;
  while (!end && !finished()) end = advance();
  const RunOutcome outcome = end ? end->outcome : RunOutcome::Finished;
  if (outcome != RunOutcome::Diverged && at_.saved_update != at_.update) save();
  writer_.wait();
  workers_->barrier();  // no worker is done before the last checkpoint stands
  phase_.set(Phase::Ended, at_.update);
  log_.ended(at_.update, outcome, data_.train->unigram_entropy());
  return outcome;
}

void Trainer::start() {
  log_.started({.update = 0,
                .parameters = model_.parameters().parameter_count(),
                .train_examples = std::ssize(data_.train->lengths()),
                .left_out = data_.train->left_out(),
                .unigram_entropy = data_.train->unigram_entropy(),
                .threads = at::get_num_threads(),
                .command = {}});
  const std::optional<std::vector<std::string>> missing = set_start_weights(model_, config_, batches_);
  if (missing) log_.pretrained(config_.train.pretrained, *missing);
  workers_->broadcast(model_.parameters().values());
}

std::optional<RunEnd> Trainer::advance() {
  const StepResult result = step();
  if (const std::optional<RunEnd> end = agreed(*workers_, policy_.after_update(at_.update, result))) {
    log_.ending(at_.update, *end, policy_.best_update());
    return end;
  }
  // The end is logged and measured whatever the intervals: where the learning rate falls to 0, it is the best part.
  const TrainConfig& t = config_.train;
  const bool last = finished(), epoch_end = batches_.position().batch == 0;
  const auto due = [&](int64_t interval) { return interval > 0 ? at_.update % interval == 0 : epoch_end; };
  if (last || at_.update % t.log_interval == 0) log_.train(progress(), result);
  std::optional<RunEnd> end;
  if (last || due(t.validate_interval)) end = validate_now();
  // After the validation has left its marks everywhere: a checkpoint in the middle of it would not resume exactly.
  if (due(t.save_interval) || policy_.best_update() == at_.update || end) save();
  if (end) return end;
  signal_ = static_cast<int>(workers_->agree(signals_.first()));
  if (signal_ != 0) return RunEnd{RunOutcome::Interrupted};
  return {};
}

StepResult Trainer::step() {
  const StepResult result = step_.take(at_.update, batches_, [&] { writer_.wait_for_tensors(); });
  log_.step(at_.update, result);
  const int64_t interval = config_.train.gradient_interval;
  if (workers_->writes() && interval > 0 && at_.update % interval == 0) {
    const double scale = 1 / static_cast<double>(result.tokens);  // the gradients are sums over tokens
    log_.gradients(at_.update, sublayer_gradient_norms(model_.parameters(), scale));
  }
  ++at_.update;
  at_.tokens += result.tokens;
  return result;
}

std::optional<RunEnd> Trainer::validate_now() {
  phase_.set(Phase::Validation, at_.update);
  const ValidationReport report = validation_report(model_, data_, config_);
  validation_finite_ = std::isfinite(report.losses.loss);
  const std::optional<RunEnd> end = agreed(*workers_, policy_.after_validation(at_.update, report.losses));
  log_.valid(progress(), report, policy_.best_update() == at_.update);
  if (end) log_.ending(at_.update, *end, policy_.best_update());
  return end;
}

// Weights that are not finite, or compute nothing that is, are of no use to anybody and would push out those that are.
std::string Trainer::unfit_to_be_saved() const {
  if (!validation_finite_) return "the validation loss is not finite";
  const std::string tensor = nonfinite_tensor(model_.parameters());
  return tensor.empty() ? "" : fmt::format("weights are not finite ({})", tensor);
}

void Trainer::save() {
  at_.saved_update = at_.update;
  if (!workers_->writes()) return;
  if (const std::string reason = unfit_to_be_saved(); !reason.empty()) {
    log_.say(fmt::format("update {}: {}; no checkpoint is written", at_.update, reason));
    return;
  }
  const BatchCursor::Position& position = batches_.position();
  CheckpointState state{
      .position = {.update = at_.update, .epoch = position.epoch, .batch = position.batch, .tokens = at_.tokens},
      .prepared = to_json(data_.prepared)};
  policy_.add_to(state);
  identity_.add_to(state);
  state.contents.update(kept_);
  writer_.start(at_.update, model_.parameters(), step_.optimiser(), std::move(state),
                {config_.train.keep_last, {policy_.best_update()}});
}

}  // namespace plumb
