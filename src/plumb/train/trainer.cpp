#include "plumb/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/make_folder.h"
#include "plumb/config/dump.h"
#include "plumb/config/presets.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/metric/measure.h"
#include "plumb/optim/clip.h"
#include "plumb/optim/schedule.h"
#include "plumb/runs/run_summary.h"
#include "plumb/store/weights_file.h"
#include "plumb/task/loss.h"
#include "plumb/text/line_reader.h"
#include "plumb/train/evaluation.h"
#include "plumb/train/locate.h"
#include "plumb/train/validation.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// The run directory must exist before the log is opened in it.
const std::filesystem::path& created(const std::filesystem::path& run) {
  make_folder(run);
  return run;
}

int64_t examples_of(const TaskCorpus& corpus) {
  return std::ssize(corpus.lengths()) + corpus.left_out();
}

// What a new task brings a new one of.
bool belongs_to_a_head(const std::string& name) {
  for (const char* part :
       {".lm_head.", ".output_projection.", ".adaptive_softmax.", ".pooler.", ".classifier.", ".next_sentence."}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

// A few lines that a person can read beside the score.
nlohmann::json samples_record(int64_t update, const PreparedSplit& split, const std::vector<std::string>& outputs) {
  constexpr size_t kSamples = 4;
  nlohmann::json sources = nlohmann::json::array(), references = sources, shown = sources;
  LineReader source(split.source.text), target(split.target.text);
  std::string source_line, target_line;
  for (size_t i = 0; i < std::min(kSamples, outputs.size()); ++i) {
    if (!source.next(source_line) || !target.next(target_line)) break;
    sources.push_back(source_line);
    references.push_back(target_line);
    shown.push_back(outputs[i]);
  }
  return {{"type", "samples"}, {"update", update}, {"source", sources}, {"reference", references}, {"output", shown}};
}

// The checkpoint that train.pretrained names.
fs::path pretrained_weights(const std::string& text) {
  const PretrainedRun run = pretrained_run(text);
  return Checkpoints(run.folder).model_file(Checkpoints(run.folder).chosen(run.checkpoint));
}

}  // namespace

Trainer::Trainer(const Config& config, const Prepared& data, const std::filesystem::path& run)
    : config_(config),
      data_(data),
      run_(created(run)),
      lock_(run_),
      task_(make_task(config, {data.source_tokenizer, data.target_tokenizer})),
      train_(task_->open(data.train, /*training=*/true)),
      valid_(task_->open(data.valid, /*training=*/false)),
      identity_{.config = config,
                .threads = at::get_num_threads(),
                .fingerprint = data.fingerprint,
                .pieces = data_pieces(data, examples_of(*train_), examples_of(*valid_))},
      model_(config.model, static_cast<uint64_t>(config.seed)),
      optimiser_(make_optimiser(config.optim, model_.parameters())),
      schedule_(complete_schedule(config.schedule, config.train.max_update)),
      guard_(config_.train, train_->unigram_entropy()),
      checkpoints_(run),
      log_(run / "log.jsonl") {
  if (config.train.tensorboard) board_.emplace(run / "tensorboard");
}

bool Trainer::resume(bool allow_changes) {
  std::vector<int64_t> updates = checkpoints_.updates();
  for (auto update = updates.rbegin(); update != updates.rend(); ++update) {
    try {
      const Changes changes = accepted_changes(*update, allow_changes);
      go_to(checkpoints_.load(*update, model_.parameters(), *optimiser_));
      nlohmann::json details = nlohmann::json::object();
      if (!changes.all().empty()) details["changes"] = changes.all();
      event("resumed", details);
      // The reader leaves out what is done again from here.
      if (const auto last = read_run_summary(run_).last) last_valid_nll_ = last->nll;
      return true;
    } catch (const DamagedFile& error) {
      status_.say(fmt::format("{}; trying the one before", error.what()));
      event("damaged_checkpoint", {{"update", *update}, {"error", error.what()}});
    }
  }
  return false;
}

// Before the weights are read: with another vocabulary or width their shapes would be blamed, not the key.
Changes Trainer::accepted_changes(int64_t update, bool allow_changes) const {
  const std::filesystem::path folder = checkpoints_.folder(update), file = folder / "state.json";
  const nlohmann::json state = checkpoints_.state(update);
  if (!state.contains("config") || !state.contains("data") || !state.contains("threads")) {
    throw DamagedFile(file.string(), "is missing or not whole", "Resume from an earlier checkpoint");
  }
  Changes changes;
  try {
    changes = changes_since(state, identity_, file.string());
  } catch (const UserError&) {  // a key that this version does not know
    if (!allow_changes) throw;
  }
  if (changes.matter() && !allow_changes) {
    throw UserError(folder.string(), changes.problem(), "Resume with what it was started with, or add --allow-changes");
  }
  return changes;
}

void Trainer::go_to(const nlohmann::json& state) {
  const nlohmann::json& p = state.at("position");
  at_ = {p.at("update"),    p.at("epoch"),       p.at("batch"),          p.at("tokens"),
         p.at("best_loss"), p.at("best_update"), p.at("bad_validations")};
  guard_.load(state.at("guard"));
  saved_update_ = at_.update;
  status_.start_at(at_.update);
  phase_.set(Phase::Preparing, at_.update);
  // The epoch is planned here because epoch_progress(), and with it the next learning rate, counts in its batches.
  // After changes that were allowed it may have fewer of them than are done.
  if (at_.batch >= std::ssize(batches())) {
    at_.batch = 0;
    ++at_.epoch;
  }
}

bool Trainer::finished() const {
  const TrainConfig& t = config_.train;
  return (t.max_update > 0 && at_.update >= t.max_update) || (t.max_epoch > 0 && at_.epoch >= t.max_epoch);
}

const std::vector<SentenceList>& Trainer::batches() {
  if (planned_epoch_ != at_.epoch) {
    plan_ = epoch_batches(train_->lengths(), config_.train.max_tokens, static_cast<uint64_t>(config_.seed), at_.epoch);
    planned_epoch_ = at_.epoch;
  }
  return plan_;
}

Draw Trainer::draw() const {
  return {.training = true, .seed = static_cast<uint64_t>(config_.seed), .epoch = at_.epoch};
}

double Trainer::epoch_progress() const {
  return static_cast<double>(at_.epoch) +
         static_cast<double>(at_.batch) / static_cast<double>(std::max<size_t>(1, plan_.size()));
}

RunOutcome Trainer::run() {
  write_whole(run_ / "config.toml", to_toml(config_));
  keep_vocabulary(run_, data_);
  task_->keep(run_);
  if (at_.update == 0) {
    nlohmann::json details = {{"parameters", model_.parameters().parameter_count()},
                              {"train_examples", train_->lengths().size()},
                              {"left_out", train_->left_out()},
                              {"unigram_entropy", train_->unigram_entropy()},
                              {"threads", at::get_num_threads()}};
    if (!command_.empty()) details["command"] = command_;
    event("started", details);
    start_weights();
  }
  while (!finished()) {
    const StepResult result = step();
    std::string reason;
    if (!guard_.healthy(at_.update, result.loss, result.applied, reason)) {
      outcome_ = RunOutcome::Diverged;
      event("diverged", {{"reason", reason}});
      break;
    }
    // The end is logged and measured whatever the intervals: where the learning rate falls to 0, it is the best part.
    const bool last = finished(), epoch_end = at_.batch == 0;
    if (last || at_.update % config_.train.log_interval == 0) log_step(result);
    const auto due = [&](int64_t interval) { return interval > 0 ? at_.update % interval == 0 : epoch_end; };
    const bool go_on = !(last || due(config_.train.validate_interval)) || validate_now();
    // After the validation has left its marks everywhere: a checkpoint in the middle of it would not resume exactly.
    const bool best = at_.best_update == at_.update;
    if (due(config_.train.save_interval) || best || !go_on) save();
    if (!go_on) break;
    if (signals_.caught()) {
      outcome_ = RunOutcome::Interrupted;
      break;
    }
  }
  if (outcome_ != RunOutcome::Diverged && saved_update_ != at_.update) save();
  writer_.wait();
  phase_.set(Phase::Ended, at_.update);
  log_end();
  return outcome_;
}

void Trainer::log_end() {
  const std::optional<double> share =
      last_valid_nll_ ? unigram_share(*last_valid_nll_, train_->unigram_entropy()) : std::nullopt;
  nlohmann::json details = {{"outcome", outcome_name(outcome_)}};
  if (share) details["unigram_share"] = *share;
  event("ended", details);
  status_.say(
      fmt::format("{} after {} updates{}", outcome_name(outcome_), at_.update,
                  share ? fmt::format(", last validation NLL {:.1f} % of the unigram entropy", 100 * *share) : ""));
}

// Weights that come from elsewhere have been measured and trained already: profiling would overwrite some of them.
void Trainer::start_weights() {
  if (!config_.train.restore_file.empty()) {
    load_weights(model_.parameters(), config_.train.restore_file);
  } else if (!config_.train.pretrained.empty()) {
    const fs::path file = pretrained_weights(config_.train.pretrained);
    const Unmatched unmatched = load_matching_weights(model_.parameters(), file);
    for (const std::string& name : unmatched.unused) {
      if (belongs_to_a_head(name)) continue;
      throw UserError(file.string(), fmt::format("has {}, which this model has not", name),
                      "Leave the keys of [model] to the pre-trained run");
    }
    event("pretrained", {{"run", config_.train.pretrained}, {"new_parameters", unmatched.missing}});
  } else {
    const Pass first{.training = true, .seed = static_cast<uint64_t>(config_.seed)};
    model_.profile(train_->batch(batches().front(), draw()).inputs, first);
  }
}

Trainer::StepResult Trainer::step() {
  const TrainConfig& t = config_.train;
  const double lr = learning_rate(schedule_, config_.optim.lr, at_.update, epoch_progress());
  StepResult result;
  model_.parameters().zero_gradients();
  TrainingBatch batch;
  for (int64_t micro = 0; micro < t.update_freq; ++micro) {
    phase_.set(micro == 0 ? Phase::Step : Phase::Accumulation, at_.update);
    const std::vector<SentenceList>& plan = batches();
    const auto index = static_cast<size_t>(at_.batch);
    batch = prefetch_.take(plan[index], index + 1 < plan.size() ? &plan[index + 1] : nullptr, draw());
    // Each batch of an update has its own dropout: the step of the generator counts batches.
    const Pass pass{.training = true,
                    .seed = static_cast<uint64_t>(config_.seed),
                    .step = static_cast<uint64_t>(at_.update * t.update_freq + micro),
                    .recompute = t.recompute};
    const ops::CrossEntropy sums = losses(model_, batch, t, pass);
    sums.smoothed.backward();
    result.loss += sums.smoothed.item<double>();
    result.nll += sums.nll.item<double>();
    result.tokens += batch.tokens();
    result.rows += batch.source_rows() + batch.target_rows();
    result.fill += static_cast<double>(std::max(batch.source_rows(), batch.target_rows())) /
                   static_cast<double>(t.max_tokens * t.update_freq);
    if (++at_.batch == std::ssize(plan_)) {
      at_.batch = 0;
      ++at_.epoch;
    }
  }
  phase_.set(Phase::Step, at_.update);
  // The loss is the mean over all target tokens of the update, whatever batches they came in.
  const double tokens = static_cast<double>(result.tokens);
  result.loss /= tokens;
  result.nll /= tokens;
  result.gradient_norm = gradient_norm(model_.parameters().gradients()) / tokens;
  result.applied = std::isfinite(result.loss) && std::isfinite(result.gradient_norm);
  if (result.applied) {
    writer_.wait_for_tensors();
    optimiser_->step(lr, clip_factor(result.gradient_norm, config_.optim.clip_norm) / tokens);
  } else {
    report_nonfinite(batch, result);
  }
  if (t.gradient_interval > 0 && at_.update % t.gradient_interval == 0) log_gradients(1 / tokens);
  if (result.applied) {
    interval_.loss += result.loss * tokens;
    interval_.nll += result.nll * tokens;
    interval_.tokens += result.tokens;
    interval_.rows += result.rows;
    interval_.fill += result.fill;
    ++interval_.updates;
  }
  ++at_.update;
  at_.tokens += result.tokens;
  return result;
}

void Trainer::report_nonfinite(const TrainingBatch& last, const StepResult& result) {
  const Pass pass{.training = true,
                  .seed = static_cast<uint64_t>(config_.seed),
                  .step = static_cast<uint64_t>((at_.update + 1) * config_.train.update_freq - 1)};
  const NonFinite where = locate_nonfinite(model_, last, config_.train, pass);
  event("nonfinite", {{"loss", result.loss},
                      {"gnorm", result.gradient_norm},
                      {"tap", where.tap},
                      {"gradient_tap", where.gradient_tap},
                      {"parameter", where.parameter}});
}

// Batches hold sentences of like length, and short ones are easier: one update alone would say little.
void Trainer::log_step(const StepResult& last) {
  const double lr = learning_rate(schedule_, config_.optim.lr, at_.update - 1, epoch_progress());
  const double tokens = static_cast<double>(interval_.tokens);
  // Without an update that was applied there is no mean: the loss that was refused stands for it.
  const double loss = interval_.tokens > 0 ? interval_.loss / tokens : last.loss;
  const double nll = interval_.tokens > 0 ? interval_.nll / tokens : last.nll;
  const double rate = status_.show({.update = at_.update,
                                    .max_update = config_.train.max_update,
                                    .epoch = at_.epoch,
                                    .loss = loss,
                                    .perplexity = std::exp(nll),
                                    .lr = lr,
                                    .gradient_norm = last.gradient_norm,
                                    .tokens = interval_.tokens});
  const double updates = static_cast<double>(std::max<int64_t>(1, interval_.updates));
  log_.write({{"type", "train"},
              {"update", at_.update},
              {"epoch", epoch_progress()},
              {"loss", loss},
              {"nll", nll},
              {"lr", lr},
              {"gnorm", last.gradient_norm},
              {"wps", rate},
              {"wpb", tokens / updates},
              {"rows", static_cast<double>(interval_.rows) / updates},
              {"fill", interval_.fill / updates},
              {"tokens", at_.tokens}});
  interval_ = {};
  if (!board_) return;
  board_->scalar("train/loss", at_.update, loss);
  board_->scalar("train/nll", at_.update, nll);
  board_->scalar("train/lr", at_.update, lr);
  board_->scalar("train/gnorm", at_.update, last.gradient_norm);
  board_->scalar("train/wps", at_.update, rate);
  board_->flush();
}

// One vector per record: the norm of the gradient of each sub-layer's parameters, by the place they are named after.
void Trainer::log_gradients(double scale) {
  std::map<std::string, double> squares;
  for (const auto& entry : model_.parameters().entries()) {
    const std::string& name = entry.spec.name;
    const size_t layer = name.find(".layers.");
    if (layer == std::string::npos) continue;
    const size_t sublayer = name.find('.', layer + 8) + 1;
    const std::string rest = name.substr(sublayer);
    const std::string kind = rest.starts_with("self_attn")      ? "self_attn"
                             : rest.starts_with("encoder_attn") ? "encoder_attn"
                                                                : "ffn";
    const double norm = model_.parameters().gradient(name).norm().item<double>() * scale;
    squares[name.substr(0, sublayer) + kind] += norm * norm;
  }
  nlohmann::json norms = nlohmann::json::object();
  for (const auto& [name, square] : squares) norms[name] = std::sqrt(square);
  log_.write({{"type", "gradients"}, {"update", at_.update}, {"norms", norms}});
}

double Trainer::valid_score(const std::string& metric) {
  GenerateConfig greedy = config_.generate;
  greedy.beam = greedy.nbest = 1;
  const std::vector<std::string> outputs = task_->outputs(model_, *valid_, greedy);
  log_.write(samples_record(at_.update, data_.valid, outputs));
  return corpus_score(make_measure(metric), outputs, references_of(data_.valid)).value;
}

bool Trainer::validate_now() {
  phase_.set(Phase::Validation, at_.update);
  const Validation result = validate(model_, *valid_, config_.train);
  last_valid_nll_ = result.nll;
  nlohmann::json record = {{"type", "valid"},     {"update", at_.update}, {"epoch", epoch_progress()},
                           {"loss", result.loss}, {"nll", result.nll},    {"ppl", result.perplexity()}};
  std::string more_text;
  const auto add = [&](const std::string& name, double value) {
    record[name] = value;
    more_text += fmt::format("  {} {:.2f}", name, value);
    if (board_) board_->scalar("valid/" + name, at_.update, value);
  };
  for (const auto& [name, value] : task_->numbers(*valid_, result)) add(name, value);
  const std::string& metric = config_.train.validate_metric;
  if (!metric.empty()) add(metric, valid_score(metric));
  const bool better = at_.best_update < 0 || result.loss < at_.best_loss;
  if (better) {
    at_.best_loss = result.loss;
    at_.best_update = at_.update;
  }
  at_.bad_validations = better ? 0 : at_.bad_validations + 1;
  log_.write(record);
  if (board_) board_->scalar("valid/loss", at_.update, result.loss);
  status_.say(fmt::format("valid at update {}: loss {:.3f}  ppl {:.2f}{}{}", at_.update, result.loss,
                          result.perplexity(), more_text, better ? "  (best)" : ""));
  std::string reason;
  if (!std::isfinite(result.loss)) {
    outcome_ = RunOutcome::Diverged;
    event("diverged", {{"reason", "the validation loss is not finite"}});
    return false;
  }
  if (!guard_.near(at_.update, result.nll, reason)) {
    outcome_ = RunOutcome::Diverged;
    event("diverged", {{"reason", reason}});
    return false;
  }
  if (!guard_.learning(at_.update, result.nll, reason)) {
    outcome_ = RunOutcome::Stuck;
    event("stuck", {{"reason", reason}});
    return false;
  }
  if (config_.train.patience > 0 && at_.bad_validations >= config_.train.patience) {
    event("early_stop", {{"best_update", at_.best_update}});
    return false;
  }
  return true;
}

void Trainer::save() {
  const nlohmann::json position = {{"update", at_.update},
                                   {"epoch", at_.epoch},
                                   {"batch", at_.batch},
                                   {"tokens", at_.tokens},
                                   {"best_loss", at_.best_loss},
                                   {"best_update", at_.best_update},
                                   {"bad_validations", at_.bad_validations}};
  nlohmann::json state = {
      {"version", 1}, {"position", position}, {"guard", guard_.state()}, {"prepared", to_json(data_)}};
  identity_.add_to(state);
  writer_.start(at_.update, model_.parameters(), *optimiser_, std::move(state),
                {config_.train.keep_last, {at_.best_update}});
  saved_update_ = at_.update;
}

void Trainer::event(const std::string& kind, nlohmann::json details) {
  nlohmann::json record = {{"type", "event"}, {"event", kind}, {"update", at_.update}};
  if (details.is_object()) record.update(details);
  log_.write(record);
}

}  // namespace plumb
