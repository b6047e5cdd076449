#include "plumb/prepare/vocabularies.h"

#include <filesystem>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/checked_file.h"
#include "plumb/base/sha256.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/presets.h"
#include "plumb/data/open_dictionary.h"
#include "plumb/data/run_vocabulary.h"
#include "plumb/spm/spm_trainer.h"
#include "plumb/text/dictionary_builder.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/text_client.h"
#include "plumb/text/word_tokenizer.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

Vocabulary opened(TokenizerFiles files, const DataConfig& data) {
  // A SentencePiece model folds the case itself, if it was trained to.
  // It is somebody's file, so SentencePiece reads it in a process of its own.
  if (!files.model.empty()) return {files, std::make_shared<PipedTokenizer>(files.model)};
  return {files, open_dictionary(files, data.subwords, data.lowercase)};
}

// A dictionary in the cache, under a name that says what it was made of.
std::string cached_dictionary(const DataConfig& data, const Texts& texts) {
  std::string inputs = fmt::format("{} {} {}", word(data.subwords), data.vocab_size, data.lowercase);
  for (const std::string& text : texts) inputs += ' ' + sha256_of_file(text);
  const fs::path path = fs::path(data.cache) / (sha256_hex(inputs).substr(0, 32) + ".dict.txt");
  if (is_intact(path)) return path.string();
  const DictionaryOptions options{.size = data.vocab_size, .lowercase = data.lowercase};
  const bool words = data.subwords == Subwords::Word;
  (words ? build_dictionary : build_character_dictionary)(texts, path.string(), options);
  add_checksum(path);
  return path.string();
}

std::string cached_spm(const DataConfig& data, const Texts& texts) {
  SpmOptions options;
  options.type = word(data.subwords);
  options.vocab_size = data.vocab_size;
  options.character_coverage = data.character_coverage;
  options.byte_fallback = data.byte_fallback;
  if (data.lowercase) options.normalization = "nmt_nfkc_cf";
  return cached_model(data.cache, texts, options).string();
}

struct Given {
  const std::string &model, &dict;
};

Vocabulary side(const DataConfig& data, const Given& given, const Texts& texts) {
  switch (data.subwords) {
    case Subwords::Bpe:
    case Subwords::Unigram:
      return opened({.model = given.model.empty() ? cached_spm(data, texts) : given.model, .codes = {}, .dict = {}},
                    data);
    case Subwords::SubwordNmt:
      return opened({.model = {}, .codes = data.codes, .dict = given.dict}, data);
    default:
      return opened(
          {.model = {}, .codes = {}, .dict = given.dict.empty() ? cached_dictionary(data, texts) : given.dict}, data);
  }
}

// Every label of the training set, in the order of their bytes.
Vocabulary labels(const DataConfig& data, const std::string& text) {
  std::map<std::string, int64_t> counts;
  LineReader reader(text);
  for (std::string line; reader.next(line);) ++counts[line];
  std::string lines;
  for (const auto& [label, count] : counts) lines += fmt::format("{} {}\n", label, count);
  const fs::path path = fs::path(data.cache) / (sha256_hex(lines).substr(0, 32) + ".labels.txt");
  write_whole(path, lines);
  return {{.model = {}, .codes = {}, .dict = path.string()}, std::make_unique<WordTokenizer>(path.string())};
}

// What a run has kept.
Vocabularies kept_in(const std::string& run, const DataConfig& data, bool labelled) {
  const RunVocabulary kept = vocabulary_of(run);
  const auto side = [&](const TokenizerFiles& files) {
    return files.model.empty() && files.dict.empty() ? Vocabulary{} : opened(files, data);
  };
  if (labelled) return {side(kept.source), {kept.target, std::make_unique<WordTokenizer>(kept.target.dict)}};
  return {side(kept.source), side(kept.target)};
}

}  // namespace

Vocabularies vocabularies_of(const Config& config, const SplitFiles& train, const std::string& run) {
  const DataConfig& data = config.data;
  const TaskRow::Shape shape = task_row(task_of(config)).shape;
  const bool labelled = shape == TaskRow::Shape::Labels;
  if (!run.empty()) return kept_in(run, data, labelled);
  if (!config.train.pretrained.empty()) {
    Vocabularies kept = kept_in(pretrained_run(config.train.pretrained).folder, data, /*labelled=*/false);
    if (labelled) kept.target = labels(data, train.target);
    return kept;
  }
  const Given source{data.source_model, data.source_dict};
  const Given target{data.target_model.empty() ? data.source_model : data.target_model,
                     data.target_dict.empty() ? data.source_dict : data.target_dict};
  switch (shape) {
    case TaskRow::Shape::Text: {
      const Vocabulary one = side(data, source, {train.source});
      return {one, one};
    }
    case TaskRow::Shape::Labels:
      return {side(data, source, {train.source}), labels(data, train.target)};
    case TaskRow::Shape::Audio:
      return {{}, side(data, target, {train.target})};
    case TaskRow::Shape::Pairs:
      break;
  }
  const bool joint = data.joint;
  return {side(data, source, joint ? Texts{train.source, train.target} : Texts{train.source}),
          side(data, target, joint ? Texts{train.source, train.target} : Texts{train.target})};
}

}  // namespace plumb
