#include "plumb/text/spm/prepare.h"

#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "plumb/base/atomic_file.h"
#include "plumb/base/error.h"
#include "plumb/base/progress.h"
#include "plumb/base/sha256.h"
#include "plumb/data/numbers.h"
#include "plumb/data/token_file.h"
#include "plumb/text/bpe_tokenizer.h"
#include "plumb/text/line_reader.h"
#include "plumb/text/spm/spm_tokenizer.h"
#include "plumb/text/spm/spm_trainer.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLinesAtOnce = 10'000;

struct TextPair {
  std::string source, target;
};

struct Texts {
  TextPair train, valid, test;
};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw DiskError(folder.string(), "cannot be created (" + error.message() + ")", "Set data.cache to another folder");
}

// The built-in corpus as files, so that everything after this is the same for all corpora.
TextPair write_numbers(const DataConfig& data, Split split, const char* name, int64_t count, uint64_t seed) {
  const fs::path folder = fs::path(data.cache) / fmt::format("numbers-{}-{}-{}", data.numbers_max, count, seed);
  const TextPair files{(folder / (std::string(name) + ".en")).string(),
                       (folder / (std::string(name) + ".de")).string()};
  make_folder(folder);
  std::error_code ignored;
  if (fs::exists(files.source, ignored) && fs::exists(files.target, ignored)) return files;
  const NumberPairs pairs = number_pairs(split, count, data.numbers_max, seed);
  const auto write = [](const std::string& path, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    write_whole(path, text);
  };
  write(files.source, pairs.english);
  write(files.target, pairs.german);
  return files;
}

Texts texts_of(const DataConfig& data, uint64_t seed) {
  Texts texts{{data.train_source, data.train_target},
              {data.valid_source, data.valid_target},
              {data.test_source, data.test_target}};
  if (data.corpus == Corpus::Numbers) {
    texts = {write_numbers(data, Split::Train, "train", data.numbers_train, seed),
             write_numbers(data, Split::Valid, "valid", data.numbers_valid, seed),
             write_numbers(data, Split::Test, "test", data.numbers_valid, seed)};
  }
  if (data.swap) {
    for (TextPair* pair : {&texts.train, &texts.valid, &texts.test}) std::swap(pair->source, pair->target);
  }
  return texts;
}

// Before anything is made: texts that do not belong together should not cost a vocabulary first.
void check_lines(const TextPair& pair) {
  if (pair.source.empty()) return;
  const uint64_t sources = count_lines(pair.source), targets = count_lines(pair.target);
  if (sources == 0) throw UserError(pair.source, "has no lines", "Give one sentence per line");
  if (sources == targets) return;
  for (const std::string& path : {pair.source, pair.target}) {  // a file that is not text has lines of its own
    LineReader reader(path);
    for (std::string line; reader.next(line);) {
    }
  }
  throw UserError(pair.target, fmt::format("has {} lines, but {} has {}", targets, pair.source, sources),
                  "Both sides of a parallel corpus need one line per sentence");
}

struct Side {
  TokenizerFiles files;
  std::unique_ptr<Tokenizer> tokenizer;
};

Side spm_side(const DataConfig& data, const std::string& given, const std::vector<std::string>& texts) {
  std::string model = given;
  if (model.empty()) {
    SpmOptions options;
    options.type = word(data.subwords);
    options.vocab_size = data.vocab_size;
    options.character_coverage = data.character_coverage;
    options.byte_fallback = data.byte_fallback;
    model = cached_model(data.cache, texts, options).string();
  }
  return {{.model = model, .codes = {}, .dict = {}}, std::make_unique<SpmTokenizer>(model)};
}

Side bpe_side(const DataConfig& data, const std::string& dict) {
  return {{.model = {}, .codes = data.codes, .dict = dict},
          std::make_unique<BpeTokenizer>(BpeFiles{.dict = dict, .codes = data.codes, .vocabulary = {}})};
}

std::pair<Side, Side> tokenizers(const DataConfig& data, const TextPair& train) {
  if (data.subwords == Subwords::SubwordNmt) {
    return {bpe_side(data, data.source_dict),
            bpe_side(data, data.target_dict.empty() ? data.source_dict : data.target_dict)};
  }
  const std::string& target = data.target_model.empty() ? data.source_model : data.target_model;
  if (data.joint) {
    const std::vector<std::string> both{train.source, train.target};
    return {spm_side(data, data.source_model, both), spm_side(data, target, both)};
  }
  return {spm_side(data, data.source_model, {train.source}), spm_side(data, target, {train.target})};
}

PreparedSide tokenise(const std::string& text, const Tokenizer& tokenizer, const fs::path& cache) {
  const std::string fingerprint = sha256_hex(sha256_of_file(text) + tokenizer.fingerprint());
  const fs::path path = cache / (fingerprint.substr(0, 32) + ".tokens");
  if (is_cached(path, fingerprint)) return {text, path.string()};
  LineReader reader(text);
  Progress progress("tokenising " + fs::path(text).filename().string(), count_lines(text));
  TokenFileWriter writer;
  std::vector<std::string> lines;
  const auto flush = [&] {
    for (const std::vector<int32_t>& ids : tokenizer.encode_lines(lines)) writer.add(ids);
    progress.advance(lines.size());
    lines.clear();
  };
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
    if (lines.size() == kLinesAtOnce) flush();
  }
  flush();
  writer.write(path, fingerprint);
  return {text, path.string()};
}

PreparedSplit tokenise(const TextPair& pair, const Side& source, const Side& target, const fs::path& cache) {
  if (pair.source.empty()) return {};
  return {tokenise(pair.source, *source.tokenizer, cache), tokenise(pair.target, *target.tokenizer, cache)};
}

}  // namespace

Prepared prepare(const DataConfig& data, uint64_t seed) {
  const fs::path cache = data.cache;
  make_folder(cache);
  const Texts texts = texts_of(data, seed);
  for (const TextPair* pair : {&texts.train, &texts.valid, &texts.test}) check_lines(*pair);
  const auto [source, target] = tokenizers(data, texts.train);
  Prepared prepared{.source_tokenizer = source.files,
                    .target_tokenizer = target.files,
                    .source_vocab = source.tokenizer->size(),
                    .target_vocab = target.tokenizer->size(),
                    .train = tokenise(texts.train, source, target, cache),
                    .valid = tokenise(texts.valid, source, target, cache),
                    .test = tokenise(texts.test, source, target, cache),
                    .fingerprint = {}};
  std::string all = source.tokenizer->fingerprint() + target.tokenizer->fingerprint();
  for (const PreparedSplit* split : {&prepared.train, &prepared.valid}) {
    all += TokenFile(split->source.tokens).fingerprint() + TokenFile(split->target.tokens).fingerprint();
  }
  prepared.fingerprint = sha256_hex(all);
  return prepared;
}

}  // namespace plumb
