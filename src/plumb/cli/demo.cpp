// plumb demo: does it train? One deep Transformer, wired in three ways, with and without warm-up, on built-in data.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/make_folder.h"
#include "plumb/base/progress.h"
#include "plumb/base/sparkline.h"
#include "plumb/base/table.h"
#include "plumb/catalogue/demo_arms.h"
#include "plumb/checkpoint/checkpoint.h"
#include "plumb/checkpoint/load_model.h"
#include "plumb/cli/command_line.h"
#include "plumb/cli/demo_starts.h"
#include "plumb/cli/engine.h"
#include "plumb/config/dump.h"
#include "plumb/config/load.h"
#include "plumb/data/sized_by.h"
#include "plumb/ops/path.h"
#include "plumb/process/front_process.h"
#include "plumb/process/signals.h"
#include "plumb/runs/outcome.h"
#include "plumb/runs/run_log.h"
#include "plumb/task/task.h"
#include "plumb/text/line_reader.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

// Small enough for minutes, deep enough to tell the wirings apart. --set comes after these.
const std::vector<std::string> kSetting = {
    "data.numbers_max=99999",
    "data.vocab_size=90",
    "model.width=64",
    "model.ffn_width=128",
    "model.heads=4",
    "model.encoder_layers=12",
    "model.decoder_layers=12",
    "model.max_positions=128",
    "model.dropout=0.0",
    "model.share_all_embeddings=true",  // FixUp starts an untied output at zero, and no gradient would get past it
    "train.max_update=200",
    "train.max_tokens=600",  // about 64 sentences
    "train.label_smoothing=0.0",
    "train.log_interval=10",
    "train.tensorboard=false",
    "optim.lr=1e-3",
    "schedule.name=constant",
    "schedule.warmup_updates=0",
    "generate.beam=1",
};

constexpr int64_t kFurtherUpdates = 500;
constexpr int64_t kShown = 6;

struct Result {
  DemoArm arm;
  fs::path run;
  RunOutcome outcome;
  double loss;  // on the validation set, at the end
  std::vector<double> course;
  double seconds;
};

std::string warmup_text(int64_t updates) {
  return updates == 0 ? "none" : fmt::format("{} updates", updates);
}

// Only what an earlier demo left there is ever removed.
void clear(const fs::path& out) {
  const bool empty = !fs::exists(out) || (fs::is_directory(out) && fs::is_empty(out));
  if (!empty && !fs::exists(out / "demo.toml")) {
    throw UserError(out.string(), "is there already, and not from a demo", "Choose another --out");
  }
  std::error_code error;
  fs::remove_all(out, error);
  make_folder(out);
}

RunOutcome outcome_of(const Config& config, const Prepared& data, const fs::path& run) {
  Trainer trainer(config, data, run);
  const RunOutcome outcome = trainer.run();
  if (outcome == RunOutcome::Interrupted) throw Interrupted{trainer.caught_signal()};
  return outcome;
}

Result try_arm(Config config, const DemoArm& arm, const Prepared& data, const fs::path& out) {
  config.model.variant = arm.variant;
  config.schedule.warmup_updates = arm.warmup_updates;
  const fs::path run = out / (std::string(arm.variant) + (arm.warmup_updates > 0 ? "_warmup" : ""));
  const auto start = std::chrono::steady_clock::now();
  const RunOutcome outcome = outcome_of(config, data, run);
  Result result{.arm = arm, .run = run, .outcome = outcome, .loss = HUGE_VAL, .course = {}, .seconds = 0};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const RunLog log = read_run_log(run, LogReading::Strict);
  for (const TrainRecord* record : log.all<TrainRecord>()) result.course.push_back(record->nll.value());
  for (const ValidRecord* record : log.all<ValidRecord>()) result.loss = record->nll.value();
  return result;
}

std::string share_text(double loss, double unigram_entropy) {
  const std::optional<double> share = unigram_share(loss, unigram_entropy);
  return share && std::isfinite(*share) ? fmt::format("{:.0f} %", 100 * *share) : "-";
}

void print_results(const std::vector<Result>& results, double unigram_entropy) {
  const auto right = Table::Align::Right;
  Table table(
      {{"wiring"}, {"warm-up"}, {"loss", right}, {"of unigram", right}, {"its course"}, {"outcome"}, {"time", right}});
  double highest = unigram_entropy;
  for (const Result& one : results) highest = std::max(highest, one.course.empty() ? 0 : one.course.front());
  for (const Result& one : results) {
    std::vector<double> heights;
    for (double loss : one.course) heights.push_back(loss / highest);
    table.add_row({std::string(one.arm.variant), warmup_text(one.arm.warmup_updates), fmt::format("{:.2f}", one.loss),
                   share_text(one.loss, unigram_entropy), sparkline(heights), std::string(outcome_name(one.outcome)),
                   duration_text(one.seconds)});
  }
  print('\n' + table.to_string());
}

void translate_unseen(const Config& config, const Prepared& data, const fs::path& run) {
  Transformer model(config.model, static_cast<uint64_t>(config.seed), where_of(config));
  load_model(model.parameters(), Checkpoints(run).model_file(Checkpoints(run).updates().back()));
  const std::unique_ptr<Task> task = make_task(config, {data.source_tokenizer, data.target_tokenizer});
  const std::unique_ptr<TaskCorpus> test = task->open(data.test, /*training=*/false);
  const std::vector<std::string> output = task->outputs(model, *test, config.generate);
  const std::vector<std::string> source = LineReader(data.test.source.text).rest(),
                                 reference = LineReader(data.test.target.text).rest();
  size_t right = 0;
  for (size_t i = 0; i < output.size(); ++i) right += output[i] == reference[i];
  print(fmt::format("\n{} of {} numbers that it has never seen come out exactly right. The first ones:\n\n", right,
                    output.size()));
  for (size_t i = 0; i < std::min<size_t>(kShown, output.size()); ++i) {
    print(fmt::format("  {}\n    -> {}{}\n", source[i], output[i],
                      output[i] == reference[i] ? "" : "   WRONG, it is " + reference[i]));
  }
}

void tell(const Config& config, const fs::path& out) {
  clear(out);
  write_whole(out / "demo.toml", to_toml(config));
  const Prepared data = prepared_from_json(run_front({"prepare", (out / "demo.toml").string()}));
  const Config sized = sized_by(config, data, Sources());
  const double entropy =
      make_task(config, {data.source_tokenizer, data.target_tokenizer})->open(data.train, true)->unigram_entropy();
  print(
      fmt::format("Does it train? A {}-{} Transformer of width {}, English to German number words, {} updates of Adam\n"
                  "at learning rate {}. Who knows only how frequent each piece is has a loss of {:.2f} nats.\n\n",
                  config.model.encoder_layers, config.model.decoder_layers, config.model.width, config.train.max_update,
                  config.optim.lr, entropy));
  std::vector<Result> results;
  for (const DemoArm& arm : demo_arms()) {
    print(fmt::format("[{}/{}] {}, warm-up: {}\n", results.size() + 1, demo_arms().size(), arm.variant,
                      warmup_text(arm.warmup_updates)));
    results.push_back(try_arm(sized, arm, data, out));
  }
  print_results(results, entropy);

  const Result& best = *std::ranges::min_element(results, {}, &Result::loss);
  if (best.outcome != RunOutcome::Finished) {
    print("\nNone of them trains, so nothing is translated. Try a lower optim.lr.\n");
    return;
  }
  print(
      fmt::format("\nThe best of them, {} (warm-up: {}), goes on for {} updates while the learning rate falls to 0.\n",
                  best.arm.variant, warmup_text(best.arm.warmup_updates), kFurtherUpdates));
  Config longer = sized;
  longer.model.variant = best.arm.variant;
  longer.train.restore_file = Checkpoints(best.run).model_file(Checkpoints(best.run).updates().back());
  longer.train.max_update = longer.train.validate_interval = longer.train.save_interval = kFurtherUpdates;
  longer.train.log_interval = 25;
  longer.schedule.name = "linear";
  longer.schedule.warmup_updates = 0;
  outcome_of(longer, data, out / "translator");
  translate_unseen(longer, data, out / "translator");
  const std::string o = out.string();
  print(
      fmt::format("\nNext:  echo \"four thousand two hundred one\" | plumb generate {0}/translator\n"
                  "       plumb train {0}/demo.toml --set model.variant=admin --out {0}/admin     any row of `plumb "
                  "list variants`\n"
                  "       plumb train {0}/demo.toml --set model.variant=post_ln --set model.encoder_layers=6 "
                  "--set model.decoder_layers=6 --out {0}/6-6\n"
                  "       plumb demo --starts     how every variant starts: the reason for what you saw\n",
                  o));
}

}  // namespace

int demo_command(int argc, char** argv) {
  std::vector<std::string> overrides;
  std::string out = "runs/demo";
  bool starts = false;
  CLI::App app;
  app.add_option("--set", overrides, "key=value; may be repeated")->allow_extra_args(false);
  app.add_option("--out", out, "where the runs go; an earlier demo there is replaced")->capture_default_str();
  app.add_flag("--starts", starts, "instead: a table of how every variant starts, in seconds");
  if (!parse_arguments(app, argc, argv)) return 0;
  std::vector<std::string> all = kSetting;
  if (!starts) all.push_back("data.cache=" + (fs::path(out) / "cache").string());
  all.insert(all.end(), overrides.begin(), overrides.end());
  Config config = load_overrides(all);
  set_threads(config.threads);
  ops::set_path(config.ops);
  if (starts) {
    config.model.source_vocab = config.model.target_vocab = 200;
    show_starts(config.model, static_cast<uint64_t>(config.seed));
    return 0;
  }
  config.train.validate_interval = config.train.save_interval = config.train.stuck_updates = config.train.max_update;
  try {
    tell(config, out);
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  }
  return 0;
}

}  // namespace plumb
