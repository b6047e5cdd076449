#include "plumb/task/translation.h"

#include <cmath>
#include <map>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/text/bpe_tokenizer.h"
#include "plumb/text/text_client.h"

namespace plumb {
namespace {

/// Collects rows one sequence after another.
class Packer {
 public:
  void add(int64_t id) { ids_.push_back(id); }
  void end_sequence(int64_t sample) {
    lengths_.push_back(static_cast<int64_t>(ids_.size()) - begun_);
    begun_ = static_cast<int64_t>(ids_.size());
    samples_.push_back(sample);
  }
  at::Tensor ids() const { return at::tensor(ids_, at::kLong); }
  Tokens tokens() const { return {ids(), ops::Packed(lengths_, samples_)}; }

 private:
  std::vector<int64_t> ids_, lengths_, samples_;
  int64_t begun_ = 0;
};

}  // namespace

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

TrainingBatch ParallelCorpus::batch(const SentenceList& sentences) const {
  Packer inputs, targets;
  for (int64_t sentence : sentences) {
    const std::span<const int32_t> ids = target_[line(sentence)];
    inputs.add(kEos);
    for (size_t t = 0; t < ids.size(); ++t) {
      inputs.add(ids[t]);
      targets.add(ids[t]);
    }
    targets.add(kEos);
    inputs.end_sequence(line(sentence));
    targets.end_sequence(line(sentence));
  }
  return {{source(sentences), inputs.tokens()}, targets.ids()};
}

Tokens ParallelCorpus::source(const SentenceList& sentences) const {
  Packer packer;
  for (int64_t sentence : sentences) {
    for (int32_t id : source_[line(sentence)]) packer.add(id);
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
  const double total = static_cast<double>(target_tokens());
  double entropy = 0;
  for (const auto& [id, count] : counts) {
    const double p = static_cast<double>(count) / total;
    entropy -= p * std::log(p);
  }
  return entropy;
}

Tokens pack_sources(std::span<const std::vector<int32_t>> sentences, std::span<const int64_t> samples) {
  Packer packer;
  for (size_t i = 0; i < sentences.size(); ++i) {
    for (int32_t id : sentences[i]) packer.add(id);
    packer.add(kEos);
    packer.end_sequence(samples[i]);
  }
  return packer.tokens();
}

std::unique_ptr<Tokenizer> open_tokenizer(const TokenizerFiles& files) {
  if (!files.model.empty()) return std::make_unique<PipedTokenizer>(files.model);
  return std::make_unique<BpeTokenizer>(BpeFiles{.dict = files.dict, .codes = files.codes, .vocabulary = {}});
}

}  // namespace plumb
