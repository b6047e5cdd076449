// The sections that say what a run reads, how long it goes on and how it searches: [data], [train], [generate].

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/metrics.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/check.h"
#include "plumb/config/field_text.h"
#include "plumb/config/presets.h"
#include "plumb/config/suggestion.h"

namespace plumb {
namespace {

struct Least {
  std::string_view key;
  double value;
  double least;
};

void not_below(const Least& number, const Sources& sources) {
  if (number.value >= number.least) return;
  throw UserError(sources.where(number.key), fmt::format("{} is too small", number.value),
                  fmt::format("Write {} or more", number.least));
}

struct Most {
  std::string_view key;
  int64_t value, most;
};

void not_above(const Most& number, const Sources& sources) {
  if (number.value <= number.most) return;
  throw UserError(sources.where(number.key), fmt::format("{} is too large", number.value),
                  fmt::format("It can be at most {}", number.most));
}

struct Share {
  std::string_view key;
  double value;
  double most;
};

void within(const Share& number, const Sources& sources) {
  if (number.value >= 0 && number.value <= number.most) return;
  throw UserError(sources.where(number.key), fmt::format("{} is not between 0 and {}", number.value, number.most),
                  "Write a share between them");
}

void corpus_fits_the_task(const Config& config, const Sources& sources) {
  const TaskRow& row = task_row(task_of(config));
  if (config.data.corpus == Corpus::Text || config.data.corpus == row.built_in) return;
  throw UserError(sources.where(sources.latest({"data.corpus", "task"})),
                  fmt::format("the corpus {} is not for the task {}", quoted(word(config.data.corpus)), row.name),
                  fmt::format("Use corpus = {}, or \"text\" and files of your own", quoted(word(row.built_in))));
}

void corpus_has_its_files(const Config& config, const Sources& sources) {
  const DataConfig& data = config.data;
  if (data.corpus != Corpus::Text) return;
  const TaskRow& row = task_row(task_of(config));
  const bool pairs = row.shape == TaskRow::Shape::Pairs;
  struct Named {
    std::string_view key;
    const std::string& path;
    bool target = false;
  };
  const Named files[] = {{"data.train_source", data.train_source},
                         {"data.train_target", data.train_target, true},
                         {"data.valid_source", data.valid_source},
                         {"data.valid_target", data.valid_target, true}};
  for (const Named& file : files) {
    if (file.target && !pairs && !file.path.empty()) {
      throw UserError(sources.where(file.key), fmt::format("the task {} reads one file a split", row.name),
                      "Remove this key");
    }
    if (!file.path.empty() || (file.target && !pairs)) continue;
    throw UserError(sources.where("data.corpus"), fmt::format("a corpus of text needs {}", file.key),
                    fmt::format("Name the file, or use corpus = {}", quoted(word(row.built_in))));
  }
  if (pairs && data.test_source.empty() != data.test_target.empty()) {
    throw UserError(sources.where(sources.latest({"data.test_source", "data.test_target"})),
                    "the test set has only one side", "Name both files or neither");
  }
}

void columns_are_columns(const Config& config, const Sources& sources) {
  const TaskRow& row = task_row(task_of(config));
  const DataConfig& d = config.data;
  if (row.shape != TaskRow::Shape::Labels && row.shape != TaskRow::Shape::Audio) return;
  not_below({"data.split_column", static_cast<double>(d.split_column), 0}, sources);
  not_below({"data.label_column", static_cast<double>(d.label_column), 1}, sources);
  not_below({"data.audio_column", static_cast<double>(d.audio_column), 1}, sources);
  for (int column : d.text_columns) not_below({"data.text_columns", static_cast<double>(column), 1}, sources);
  if (!d.text_columns.empty() && d.text_columns.size() <= 2) return;
  throw UserError(sources.where("data.text_columns"), fmt::format("{} columns are named", d.text_columns.size()),
                  "Name one, or two for a pair of sentences");
}

void bands_are_not_smoothed(const Config& config, const Sources& sources) {
  if (config.model.adaptive_cutoffs.empty() || config.train.label_smoothing == 0) return;
  throw UserError(sources.where(sources.latest({"train.label_smoothing", "model.adaptive_cutoffs"})),
                  "the adaptive softmax has no label smoothing", "Set train.label_smoothing = 0.0");
}

void masked_tokens_have_one_fate(const MaskedLmConfig& mask, const Sources& sources) {
  if (mask.leave_prob + mask.random_prob <= 1) return;
  throw UserError(sources.where(sources.latest({"masked_lm.leave_prob", "masked_lm.random_prob"})),
                  fmt::format("{} and {} are more than all tokens", mask.leave_prob, mask.random_prob),
                  "Their sum is at most 1; BERT has 0.1 and 0.1");
}

void metric_is_a_row(const Config& config, const Sources& sources) {
  const std::string& name = config.train.validate_metric;
  if (name.empty()) return;
  const TaskRow& row = task_row(task_of(config));
  if (row.metric.empty()) {
    throw UserError(sources.where("train.validate_metric"),
                    fmt::format("the task {} has no outputs to score", row.name), "Remove it; the loss is its measure");
  }
  if (find_metric(name)) return;
  std::vector<std::string_view> names;
  for (const MetricRow& metric : metrics()) names.push_back(metric.name);
  throw UserError(sources.where("train.validate_metric"), fmt::format("there is no metric {}", quoted(name)),
                  did_you_mean(name, names) + "`plumb list metrics` shows every name");
}

void given_model_folds_its_own_case(const DataConfig& data, const Sources& sources) {
  if (!data.lowercase || (data.source_model.empty() && data.target_model.empty())) return;
  throw UserError(sources.where(sources.latest({"data.lowercase", "data.source_model", "data.target_model"})),
                  "a SentencePiece model folds the case itself, or does not",
                  "Remove data.lowercase, or the model to have one trained");
}

void dictionary_is_there(const Config& config, const Sources& sources) {
  const DataConfig& data = config.data;
  if (!config.train.pretrained.empty()) return;  // it has one
  if (data.subwords != Subwords::SubwordNmt || !data.source_dict.empty()) return;
  throw UserError(sources.where("data.subwords"), "subword_nmt needs a dictionary",
                  "Set data.source_dict to fairseq's dict.txt");
}

}  // namespace

void check_run(const Config& config, const Sources& sources) {
  const DataConfig& d = config.data;
  const TrainConfig& t = config.train;
  const GenerateConfig& g = config.generate;
  const auto real = [](int64_t value) { return static_cast<double>(value); };
  const Least least[] = {{"data.numbers_train", real(d.numbers_train), 1},
                         {"data.numbers_valid", real(d.numbers_valid), 1},
                         {"data.numbers_max", real(d.numbers_max), 9},
                         {"data.examples_train", real(d.examples_train), 1},
                         {"data.examples_valid", real(d.examples_valid), 1},
                         {"language_model.tokens_per_sample", real(config.language_model.tokens_per_sample), 1},
                         {"language_model.context_window", real(config.language_model.context_window), 0},
                         {"masked_lm.tokens_per_sample", real(config.masked_lm.tokens_per_sample), 8},
                         {"speech.sample_rate", real(config.speech.sample_rate), 1000},
                         {"speech.mel_bins", real(config.speech.mel_bins), 1},
                         {"speech.dither", config.speech.dither, 0},
                         {"speech.time_masks", real(config.speech.time_masks), 0},
                         {"speech.time_width", real(config.speech.time_width), 0},
                         {"speech.frequency_masks", real(config.speech.frequency_masks), 0},
                         {"speech.frequency_width", real(config.speech.frequency_width), 0},
                         {"data.vocab_size", real(d.vocab_size), 8},
                         {"data.max_length", real(d.max_length), 1},
                         {"train.max_update", real(t.max_update), 0},
                         {"train.max_epoch", real(t.max_epoch), 0},
                         {"train.max_tokens", real(t.max_tokens), 1},
                         {"train.update_freq", real(t.update_freq), 1},
                         {"train.log_interval", real(t.log_interval), 1},
                         {"train.gradient_interval", real(t.gradient_interval), 0},
                         {"train.validate_interval", real(t.validate_interval), 0},
                         {"train.patience", real(t.patience), 0},
                         {"train.save_interval", real(t.save_interval), 0},
                         {"train.keep_last", real(t.keep_last), 0},
                         {"train.nonfinite_steps", real(t.nonfinite_steps), 1},
                         {"train.band_window", real(t.band_window), 1},
                         {"train.band_sigmas", t.band_sigmas, 0},
                         {"train.stuck_updates", real(t.stuck_updates), 0},
                         {"generate.beam", real(g.beam), 1},
                         {"generate.lenpen", g.lenpen, 0},
                         {"generate.nbest", real(g.nbest), 1},
                         {"generate.min_length", real(g.min_length), 0},
                         {"generate.max_len_a", g.max_len_a, 0},
                         {"generate.max_len_b", real(g.max_len_b), 0},
                         {"generate.no_repeat_ngram", real(g.no_repeat_ngram), 0},
                         {"generate.temperature", g.temperature, 1e-6},
                         {"generate.top_k", real(g.top_k), 0},
                         {"generate.max_tokens", real(g.max_tokens), 1},
                         {"generate.average", real(g.average), 1}};
  for (const Least& number : least) not_below(number, sources);
  constexpr int64_t kMostExamples = 10'000'000;  // of a corpus that is made up: some hundred megabytes
  constexpr int64_t kMostBeam = 10'000;
  const Most most[] = {{"data.numbers_train", d.numbers_train, kMostExamples},
                       {"data.numbers_valid", d.numbers_valid, kMostExamples},
                       {"data.examples_train", d.examples_train, kMostExamples},
                       {"data.examples_valid", d.examples_valid, kMostExamples},
                       {"generate.beam", g.beam, kMostBeam}};
  for (const Most& number : most) not_above(number, sources);
  const Share shares[] = {{"data.character_coverage", d.character_coverage, 1},
                          {"masked_lm.mask_prob", config.masked_lm.mask_prob, 1},
                          {"masked_lm.leave_prob", config.masked_lm.leave_prob, 1},
                          {"masked_lm.random_prob", config.masked_lm.random_prob, 1},
                          {"speech.time_share", config.speech.time_share, 1},
                          {"train.label_smoothing", t.label_smoothing, 0.999},
                          {"generate.top_p", g.top_p, 1}};
  for (const Share& number : shares) within(number, sources);
  if (g.nbest > g.beam) {
    throw UserError(sources.where(sources.latest({"generate.nbest", "generate.beam"})),
                    fmt::format("{} hypotheses are wanted of a beam of {}", g.nbest, g.beam),
                    "Use a beam at least as wide as nbest");
  }
  corpus_fits_the_task(config, sources);
  corpus_has_its_files(config, sources);
  columns_are_columns(config, sources);
  metric_is_a_row(config, sources);
  bands_are_not_smoothed(config, sources);
  masked_tokens_have_one_fate(config.masked_lm, sources);
  given_model_folds_its_own_case(d, sources);
  dictionary_is_there(config, sources);
}

}  // namespace plumb
