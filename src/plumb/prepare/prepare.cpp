#include "plumb/prepare/prepare.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "plumb/audio/read_audio.h"
#include "plumb/base/error.h"
#include "plumb/base/progress.h"
#include "plumb/base/sha256.h"
#include "plumb/catalogue/special_ids.h"
#include "plumb/catalogue/tasks.h"
#include "plumb/config/presets.h"
#include "plumb/data/listed_files.h"
#include "plumb/data/token_file.h"
#include "plumb/prepare/corpus_files.h"
#include "plumb/prepare/vocabularies.h"
#include "plumb/text/line_reader.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLinesAtOnce = 10'000;

// Before anything is made: texts that do not belong together should not cost a vocabulary first.
void check_lines(const SplitFiles& split) {
  if (!split.there()) return;
  const uint64_t sources = count_lines(split.source);
  if (sources == 0) throw UserError(split.source, "has no lines", "Give one sentence per line");
  if (split.target.empty()) return;
  const uint64_t targets = count_lines(split.target);
  if (sources == targets) return;
  for (const std::string& path : {split.source, split.target}) {  // a file that is not text has lines of its own
    LineReader reader(path);
    for (std::string line; reader.next(line);) {
    }
  }
  throw UserError(split.target, fmt::format("has {} lines, but {} has {}", targets, split.source, sources),
                  "Both sides of a parallel corpus need one line per sentence");
}

/// Ids of many lines at once.
using Encode = std::vector<std::vector<int32_t>> (*)(const Tokenizer& tokenizer, std::span<const std::string> lines);

std::vector<std::vector<int32_t>> encode_lines(const Tokenizer& tokenizer, std::span<const std::string> lines) {
  return tokenizer.encode_lines(lines);
}

// Two sentences of a line, which a tab separates, with </s> between them.
std::vector<std::vector<int32_t>> encode_pairs(const Tokenizer& tokenizer, std::span<const std::string> lines) {
  std::vector<std::string> first, second;
  for (const std::string& line : lines) {
    const size_t tab = line.find('\t');
    first.push_back(line.substr(0, tab));
    second.push_back(tab == std::string::npos ? "" : line.substr(tab + 1));
  }
  std::vector<std::vector<int32_t>> ids = tokenizer.encode_lines(first), more = tokenizer.encode_lines(second);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (lines[i].find('\t') == std::string::npos) continue;
    ids[i].push_back(kEos);
    ids[i].insert(ids[i].end(), more[i].begin(), more[i].end());
  }
  return ids;
}

struct Way {
  const char* name;  // part of the fingerprint
  Encode encode;
};
constexpr Way kLines{"", encode_lines}, kPairs{"pairs", encode_pairs};

PreparedSide tokenise(const std::string& text, const Vocabulary& vocabulary, const Way& way, const fs::path& cache) {
  if (text.empty() || !vocabulary.tokenizer) return {text, ""};
  const std::string fingerprint = sha256_hex(sha256_of_file(text) + vocabulary.fingerprint() + way.name);
  const fs::path path = cache / (fingerprint.substr(0, 32) + ".tokens");
  if (is_cached(path, fingerprint)) return {text, path.string()};
  LineReader reader(text);
  Progress progress("tokenising " + fs::path(text).filename().string(), count_lines(text));
  TokenFileWriter writer;
  std::vector<std::string> lines;
  const auto flush = [&] {
    for (const std::vector<int32_t>& ids : way.encode(*vocabulary.tokenizer, lines)) writer.add(ids);
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

// A label that no training example has: the model could never say it.
void check_labels(const PreparedSide& labels) {
  if (labels.tokens.empty()) return;
  const TokenFile ids(labels.tokens);
  for (int64_t line = 0; line < ids.sentences(); ++line) {
    if (ids[line].size() == 1 && ids[line][0] >= kSpecials) continue;
    throw UserError(fmt::format("{}:{}", labels.text, line + 1), "the training set has no example of this label",
                    "Correct the label, or data.label_column");
  }
}

// Reads every header, so that a missing or broken file is found now and not in the middle of a run.
int64_t lowest_rate(const std::string& list) {
  int64_t lowest = 0;
  LineReader reader(list);
  for (std::string path; reader.next(path);) {
    const int64_t rate = audio_length(path).rate;
    lowest = lowest == 0 ? rate : std::min(lowest, rate);
  }
  return lowest;
}

std::string fingerprint_of(const PreparedSide& side) {
  if (side.text.empty()) return "";
  if (!side.contents.empty()) return side.contents;  // not the list: recordings may move, as texts may
  return side.tokens.empty() ? sha256_of_file(side.text) : TokenFile(side.tokens).fingerprint();
}

}  // namespace

Prepared prepare(const Config& config, const std::string& run) {
  const fs::path cache = config.data.cache;
  make_cache_folder(cache);
  const TaskRow& row = task_row(task_of(config));
  const CorpusFiles files = corpus_files(config);
  for (const SplitFiles* split : {&files.train, &files.valid, &files.test}) check_lines(*split);
  const auto [source, target] = vocabularies_of(config, files.train, run);
  const Way& way = row.shape == TaskRow::Shape::Labels ? kPairs : kLines;
  const auto tokenised = [&](const SplitFiles& split) {
    return PreparedSplit{tokenise(split.source, source, way, cache), tokenise(split.target, target, kLines, cache)};
  };
  Prepared prepared{.source_tokenizer = source.files,
                    .target_tokenizer = target.files,
                    .source_vocab = source.size() + (row.mask_token ? 1 : 0),
                    .target_vocab = target.size(),
                    .source_rate = 0,
                    .train = tokenised(files.train),
                    .valid = tokenised(files.valid),
                    .test = tokenised(files.test),
                    .fingerprint = {}};
  if (row.shape == TaskRow::Shape::Audio) {
    for (const SplitFiles* split : {&files.valid, &files.test}) {
      if (split->there()) lowest_rate(split->source);
    }
    prepared.source_rate = lowest_rate(files.train.source);
    for (PreparedSplit* split : {&prepared.train, &prepared.valid}) {
      if (split->there()) split->source.contents = digest_of_listed(split->source.text, cache);
    }
  }
  std::string all = source.fingerprint() + target.fingerprint();
  if (row.shape == TaskRow::Shape::Labels) {
    for (const PreparedSplit* split : {&prepared.train, &prepared.valid, &prepared.test}) check_labels(split->target);
  }
  for (const PreparedSplit* split : {&prepared.train, &prepared.valid}) {
    all += fingerprint_of(split->source) + fingerprint_of(split->target);
  }
  prepared.fingerprint = sha256_hex(all);
  return prepared;
}

}  // namespace plumb
