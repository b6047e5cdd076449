#include "plumb/task/parallel_corpus.h"

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/catalogue/special_ids.h"

namespace plumb {

ParallelCorpus::ParallelCorpus(const PreparedSplit& files, int64_t max_length)
    : source_(files.source.tokens), target_(files.target.tokens) {
  if (source_.sentences() != target_.sentences()) {
    throw UserError(
        files.target.text,
        fmt::format("has {} lines, but {} has {}", target_.sentences(), files.source.text, source_.sentences()),
        "Both sides of a parallel corpus need one line per sentence");
  }
  for (int64_t i = 0; i < source_.sentences(); ++i) {
    const PairLengths pair{std::ssize(source_[i]) + 1, std::ssize(target_[i]) + 1};
    const bool usable = pair.source > 1 && pair.target > 1 && pair.longest() <= max_length;
    if (max_length > 0 && !usable) {
      ++left_out_;
      continue;
    }
    kept_.push_back(i);
    lengths_.push_back(pair);
  }
  if (kept_.empty()) {
    throw UserError(files.source.text, "no sentence pair is left to learn from",
                    "It may be empty, or every pair is longer than data.max_length");
  }
}

int64_t ParallelCorpus::target_tokens() const {
  int64_t tokens = 0;
  for (const PairLengths& pair : lengths_) tokens += pair.target;
  return tokens;
}

TrainingBatch ParallelCorpus::batch(const SentenceList& sentences, const Draw&) const {
  DecoderRows rows;
  for (int64_t sentence : sentences) rows.add(target_[line(sentence)], line(sentence));
  return {{source(sentences), rows.inputs.tokens()}, rows.targets.ids()};
}

Tokens ParallelCorpus::source(const SentenceList& sentences) const {
  Packer packer;
  for (int64_t sentence : sentences) {
    packer.add(source_[line(sentence)]);
    packer.add(kEos);
    packer.end_sequence(line(sentence));
  }
  return packer.tokens();
}

double ParallelCorpus::unigram_entropy() const {
  std::map<int32_t, int64_t> counts;
  for (int64_t line : kept_) {
    for (int32_t id : target_[line]) ++counts[id];
    ++counts[kEos];
  }
  return entropy_of(counts);
}

void DecoderRows::add(std::span<const int32_t> ids, int64_t sample) {
  inputs.add(kEos);
  inputs.add(ids);
  inputs.end_sequence(sample);
  targets.add(ids);
  targets.add(kEos);
  targets.end_sequence(sample);
}

Tokens pack_sources(std::span<const std::vector<int32_t>> sentences, std::span<const int64_t> samples) {
  Packer packer;
  for (size_t i = 0; i < sentences.size(); ++i) {
    packer.add(sentences[i]);
    packer.add(kEos);
    packer.end_sequence(samples[i]);
  }
  return packer.tokens();
}

}  // namespace plumb
