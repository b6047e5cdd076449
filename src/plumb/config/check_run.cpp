// The sections that say what a run reads, how long it goes on and how it searches: [data], [train], [generate].

#include <string_view>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/config/check.h"

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

void corpus_has_its_files(const DataConfig& data, const Sources& sources) {
  if (data.corpus != Corpus::Text) return;
  const std::pair<std::string_view, const std::string*> needed[] = {{"data.train_source", &data.train_source},
                                                                    {"data.train_target", &data.train_target},
                                                                    {"data.valid_source", &data.valid_source},
                                                                    {"data.valid_target", &data.valid_target}};
  for (const auto& [key, path] : needed) {
    if (!path->empty()) continue;
    throw UserError(sources.where("data.corpus"), fmt::format("a corpus of text needs {}", key),
                    "Name the file, or use corpus = \"numbers\"");
  }
  if (data.test_source.empty() != data.test_target.empty()) {
    throw UserError(sources.where(sources.latest({"data.test_source", "data.test_target"})),
                    "the test set has only one side", "Name both files or neither");
  }
}

void dictionary_is_there(const DataConfig& data, const Sources& sources) {
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
  const Share shares[] = {{"data.character_coverage", d.character_coverage, 1},
                          {"train.label_smoothing", t.label_smoothing, 0.999},
                          {"generate.top_p", g.top_p, 1}};
  for (const Share& number : shares) within(number, sources);
  if (g.nbest > g.beam) {
    throw UserError(sources.where(sources.latest({"generate.nbest", "generate.beam"})),
                    fmt::format("{} hypotheses are wanted of a beam of {}", g.nbest, g.beam),
                    "Use a beam at least as wide as nbest");
  }
  corpus_has_its_files(d, sources);
  dictionary_is_there(d, sources);
}

}  // namespace plumb
